// SPDX-License-Identifier: BSD-3-Clause
#include "delay_switch_options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const char* option, const char* text, double least, double most) {
  char* rest;
  const double value = strtod(text, &rest);
  if (rest == text || *rest != '\0' || !(value >= least && value <= most)) {
    fprintf(stderr, "delay_switch: --%s %s: must be a number from %g to %g\n", option, text, least, most);
    exit(2);
  }
  return value;
}

// Of all links, or of the one that --port has named.
static void set(struct options* options, int port, size_t field, double value) {
  for (int i = 0; i < kMostPorts; ++i)
    if (port < 0 || i == port) memcpy((char*)&options->links[i] + field, &value, sizeof value);
}

void parse(int argc, char** argv, struct options* options) {
  options->port_count = 2;
  options->seed = 1;
  static const struct option table[] = {{"ports", required_argument, NULL, 'n'},
                                        {"seed", required_argument, NULL, 's'},
                                        {"port", required_argument, NULL, 'p'},
                                        {"delay-us", required_argument, NULL, 'd'},
                                        {"megabits", required_argument, NULL, 'b'},
                                        {"loss-percent", required_argument, NULL, kLoss},
                                        {"duplicate-percent", required_argument, NULL, kDuplicate},
                                        {"reorder-percent", required_argument, NULL, kReorder},
                                        {0}};
  int which, option, port = -1;
  while ((option = getopt_long(argc, argv, "", table, &which)) != -1) {
    if (option == '?') exit(2);
    const char* name = table[which].name;
    if (option == 'n') options->port_count = (long)number(name, optarg, 1, kMostPorts);
    else if (option == 's') options->seed = (long)number(name, optarg, 0, 1e9);
    else if (option == 'p') port = (int)number(name, optarg, 0, kMostPorts - 1);
    else if (option == 'd')
      set(options, port, offsetof(struct settings, delay_us), number(name, optarg, 0, 1e7));
    else if (option == 'b')
      set(options, port, offsetof(struct settings, megabits), number(name, optarg, 0, 1e6));
    else set(options, port, offsetof(struct settings, percent[option]), number(name, optarg, 0, 100));
  }
  if (optind < argc) {
    fprintf(stderr, "delay_switch: %s: only options are understood\n", argv[optind]);
    exit(2);
  }
}
