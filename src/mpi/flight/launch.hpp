// SPDX-License-Identifier: BSD-3-Clause
// Launch: flights from their start to their end, one after another in their queues, moved by progress().
#pragma once

namespace weft::mpi {

struct Flight;
struct Members;
struct Traffic;

// Starts a flight whose binding is complete; the caller holds the lock. It may finish inside.
void launch(Flight& flight);

// The communicator's error handler is called as soon as the lock is given back, which the caller holds.
void raise_later(const Members& members, int error);

// Ends all operations of the communicator with an error, without waiting for their other members. The caller
// holds the lock.
void fail_operations(Traffic& traffic, int error);

// Ends one operation under way with an error. The caller holds the lock.
void fail_operation(Flight& flight, int error);

// Ends operations of which another rank of the node, which is as far in the order of calls, is in another
// call or in one of another length. The caller holds the lock.
void fail_mismatched_operations();

// When Weft ends: what will never complete is not moved any more.
void abandon_operations();

}  // namespace weft::mpi
