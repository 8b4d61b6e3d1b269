// SPDX-License-Identifier: BSD-3-Clause
// The stand-in, as CUDA's driver, or with -DHIP as ROCm's. With -DLEVEL_ZERO it is a library that is there.
#define _GNU_SOURCE
#include "accelerator.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kMostAllocations = 4096, kMostCopies = 65536, kOk = 0, kWrong = 1 };

typedef struct {
  char *there, *behind;  // the accelerator's addresses; where its bytes are
  size_t bytes;
  long owner;  // the context, or the device
} Allocation;

static Allocation allocations[kMostAllocations];
static int allocated;
static long copies;

static const Allocation* find(const void* address) {
  for (int i = 0; i < allocated; ++i)
    if ((const char*)address >= allocations[i].there &&
        (const char*)address < allocations[i].there + allocations[i].bytes)
      return &allocations[i];
  return NULL;
}

static void* behind(const void* address, size_t bytes) {
  const Allocation* found = find(address);
  if (found == NULL) return (void*)address;
  const size_t at = (size_t)((const char*)address - found->there);
  if (at + bytes > found->bytes) abort();
  return found->behind + at;
}

void* accelerator_allocate(size_t bytes) {
  if (allocated == kMostAllocations) abort();
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
  const int file = memfd_create("accelerator", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)size) != 0) abort();
  char* there = mmap(NULL, size, PROT_NONE, MAP_SHARED, file, 0);
  char* bytes_behind = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (there == MAP_FAILED || bytes_behind == MAP_FAILED) abort();
  allocations[allocated] = (Allocation){there, bytes_behind, bytes, 1 + allocated % 2};
  ++allocated;
  return there;
}
void accelerator_write(void* there, const void* from, size_t bytes) {
  memcpy(behind(there, bytes), from, bytes);
}
void accelerator_read(void* into, const void* there, size_t bytes) {
  memcpy(into, behind(there, bytes), bytes);
}
long accelerator_copies(void) { return copies; }

#ifndef LEVEL_ZERO
static long current;  // context or device
typedef struct {
  long owner;
} Stream;
static struct {
  Stream* stream;
  void* to;
  const void* from;
  size_t bytes;
} queue[kMostCopies];
static int queued;

static int make_stream(Stream** made, unsigned flags) {
  if (flags != 1) return kWrong;
  *made = malloc(sizeof **made);
  (*made)->owner = current;
  return kOk;
}
static int enqueue(void* to, const void* from, size_t bytes, Stream* stream) {
  const Allocation* there = find(to) != NULL ? find(to) : find(from);
  if (there == NULL || there->owner != current || stream->owner != current || queued == kMostCopies)
    return kWrong;
  queue[queued].stream = stream, queue[queued].to = to, queue[queued].from = from,
  queue[queued].bytes = bytes;
  ++queued;
  return kOk;
}
static int wait_for(Stream* stream) {
  if (stream->owner != current) return kWrong;
  for (int i = 0; i < queued; ++i) {
    memcpy(behind(queue[i].to, queue[i].bytes), behind(queue[i].from, queue[i].bytes), queue[i].bytes);
    ++copies;
  }
  queued = 0;
  return kOk;
}
#endif

#if !defined(HIP) && !defined(LEVEL_ZERO)
int cuPointerGetAttribute(void* value, int attribute, const void* address) {
  const Allocation* found = find(address);
  if (found == NULL) return kWrong;
  if (attribute == 1) *(void**)value = (void*)found->owner;
  else if (attribute == 2) *(unsigned*)value = 2;
  else if (attribute == 8) *(unsigned*)value = 0;
  else return kWrong;
  return kOk;
}
static long pushed[16];
static int depth;
int cuCtxPushCurrent_v2(void* context) {
  pushed[depth++] = current;
  current = (long)context;
  return kOk;
}
int cuCtxPopCurrent_v2(void** context) {
  *context = (void*)current;
  current = pushed[--depth];
  return kOk;
}
int cuStreamCreate(void** stream, unsigned flags) { return make_stream((Stream**)stream, flags); }
int cuMemcpyAsync(void* to, const void* from, size_t bytes, void* stream) {
  return enqueue(to, from, bytes, stream);
}
int cuStreamSynchronize(void* stream) { return wait_for(stream); }
#endif

#ifdef HIP
typedef struct {
  int type, device;
  void *in_device, *in_host;
  int is_managed;
  unsigned flags;
} Attributes;
static int last_error;
int hipPointerGetAttributes(Attributes* attributes, const void* address) {
  const Allocation* found = find(address);
  if (found == NULL) return last_error = kWrong;
  *attributes = (Attributes){2, (int)found->owner, (void*)address, NULL, 0, 0};
  return kOk;
}
int hipGetLastError(void) {
  const int last = last_error;
  last_error = kOk;
  return last;
}
int hipGetDevice(int* device) {
  *device = (int)current;
  return kOk;
}
int hipSetDevice(int device) {
  current = device;
  return kOk;
}
int hipStreamCreateWithFlags(void** stream, unsigned flags) { return make_stream((Stream**)stream, flags); }
int hipMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  return kind == 4 ? enqueue(to, from, bytes, stream) : kWrong;
}
int hipStreamSynchronize(void* stream) { return wait_for(stream); }
#endif
