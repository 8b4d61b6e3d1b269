// SPDX-License-Identifier: BSD-3-Clause
// What the command line of delay_switch asks for.
#pragma once

enum { kMostPorts = 250 };

enum chance { kLoss, kDuplicate, kReorder, kChances };

// Of a link.
struct settings {
  double delay_us, percent[kChances], megabits;  // per second; 0: no limit
};

struct options {
  long port_count, seed;
  struct settings links[kMostPorts];
};

// Ends the program with a message and code 2 where it does not understand.
void parse(int argc, char** argv, struct options* options);
