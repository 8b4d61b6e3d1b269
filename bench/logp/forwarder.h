// SPDX-License-Identifier: BSD-3-Clause
// What moves messages between hosts costs beside the ranks' own time: between virtual hosts a process on the
// same cores, the switch, handles every frame.
#ifndef WEFT_BENCH_FORWARDER_H
#define WEFT_BENCH_FORWARDER_H

// The processor time that switches between virtual hosts have had so far, in ns: of all that this machine
// runs, so that a lab beside this one is measured as well. NAN where there is none.
double forwarder_ns(void);
// The same of this thread.
double own_ns(void);

#endif
