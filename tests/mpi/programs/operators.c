// SPDX-License-Identifier: BSD-3-Clause
// Every predefined operator on every predefined type: what MPI_Allreduce, MPI_Reduce_scatter_block and
// MPI_Scan give, or their error class. One line for each pair, the same on every run of one MPI.
#include "check.h"

#define NAMED(x) \
  { x, #x }
enum { kMost = 700, kLargest = 64 };  // elements; bytes of one

typedef struct {
  MPI_Datatype type;
  const char* name;
  // What an element consists of: 'i' a byte of an integer, 's' of one that is so short that Open MPI may
  // saturate sums of it, '0' its upper byte, 'b' 0 or 1, 'f' 'd' 'l' floating point, '.' padding to four
  // bytes.
  const char* parts;
} type_t;

// Values whose sums and products are exact in every type and without negative zeros, so that their order does
// not show.
static size_t set_part(char part, unsigned value, char* at) {
  const float f = (float)(1 + value % 3);
  const double d = f;
  const long double l = f;
  switch (part) {
    case 'f': memcpy(at, &f, sizeof f); return sizeof f;
    case 'd': memcpy(at, &d, sizeof d); return sizeof d;
    case 'l': memcpy(at, &l, 10); return sizeof l;  // the rest is padding
    case 'b': *at = (char)(value % 2); return 1;
    case 's': *at = (char)(value % 4); return 1;
    case '0': *at = 0; return 1;
    default: *at = (char)value; return 1;
  }
}

static void fill(const type_t* type, MPI_Aint extent, unsigned seed, char* at) {
  memset(at, 0, (size_t)extent * kMost);
  for (int i = 0; i < kMost; ++i, at += extent) {
    size_t done = 0;
    for (const char* part = type->parts; *part != 0; ++part) {
      if (*part == '.') done += 4 - done % 4;
      else
        done +=
            set_part(*part, (seed + (unsigned)i * 7 + (unsigned)done * 13) * 2654435761u >> 24, at + done);
    }
  }
}

static unsigned long hash_of(const char* bytes, size_t size) {
  unsigned long hash = 1469598103934665603ul;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211ul;
  return hash;
}

// The hash of what all ranks got; or the error's class.
static unsigned long result_of(int code, const char* out, size_t size) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  unsigned long mine = class == MPI_SUCCESS ? hash_of(out, size) : (unsigned long)class, all = 0;
  mine *= 2ul * (unsigned long)world_rank + 1;  // ranks with the same result do not cancel out
  MPI_Reduce(&mine, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct {
    MPI_Op op;
    const char* name;
  } ops[] = {NAMED(MPI_MAX),  NAMED(MPI_MIN),  NAMED(MPI_SUM),    NAMED(MPI_PROD),
             NAMED(MPI_LAND), NAMED(MPI_LOR),  NAMED(MPI_LXOR),   NAMED(MPI_BAND),
             NAMED(MPI_BOR),  NAMED(MPI_BXOR), NAMED(MPI_MAXLOC), NAMED(MPI_MINLOC)};
  const type_t types[] = {{MPI_CHAR, "MPI_CHAR", "s"},
                          {MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", "s"},
                          {MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", "s"},
                          {MPI_BYTE, "MPI_BYTE", "s"},
                          {MPI_PACKED, "MPI_PACKED", "s"},
                          {MPI_CHARACTER, "MPI_CHARACTER", "s"},
                          {MPI_WCHAR, "MPI_WCHAR", "iiii"},
                          {MPI_SHORT, "MPI_SHORT", "s0"},
                          {MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", "s0"},
                          {MPI_INT, "MPI_INT", "iiii"},
                          {MPI_UNSIGNED, "MPI_UNSIGNED", "iiii"},
                          {MPI_LONG, "MPI_LONG", "iiiiiiii"},
                          {MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", "iiiiiiii"},
                          {MPI_LONG_LONG, "MPI_LONG_LONG", "iiiiiiii"},
                          {MPI_INT8_T, "MPI_INT8_T", "s"},
                          {MPI_UINT16_T, "MPI_UINT16_T", "s0"},
                          {MPI_INT32_T, "MPI_INT32_T", "iiii"},
                          {MPI_UINT64_T, "MPI_UINT64_T", "iiiiiiii"},
                          {MPI_AINT, "MPI_AINT", "iiiiiiii"},
                          {MPI_OFFSET, "MPI_OFFSET", "iiiiiiii"},
                          {MPI_COUNT, "MPI_COUNT", "iiiiiiii"},
                          {MPI_INTEGER, "MPI_INTEGER", "iiii"},
                          {MPI_FLOAT, "MPI_FLOAT", "f"},
                          {MPI_DOUBLE, "MPI_DOUBLE", "d"},
                          {MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", "l"},
                          {MPI_REAL, "MPI_REAL", "f"},
                          {MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", "d"},
                          {MPI_C_FLOAT_COMPLEX, "MPI_C_FLOAT_COMPLEX", "ff"},
                          {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", "dd"},
                          {MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", "ll"},
                          {MPI_COMPLEX, "MPI_COMPLEX", "ff"},
                          {MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", "dd"},
                          {MPI_CXX_BOOL, "MPI_CXX_BOOL", "b"},
                          {MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", "ff"},
                          {MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", "dd"},
                          {MPI_C_BOOL, "MPI_C_BOOL", "b"},
                          {MPI_LOGICAL, "MPI_LOGICAL", "b..."},
                          {MPI_FLOAT_INT, "MPI_FLOAT_INT", "fiiii"},
                          {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", "diiii"},
                          {MPI_LONG_INT, "MPI_LONG_INT", "iiiiiiiiiiii"},
                          {MPI_SHORT_INT, "MPI_SHORT_INT", "s0.iiii"},
                          {MPI_2INT, "MPI_2INT", "iiiiiiii"},
                          {MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", "liiii"},
                          {MPI_2REAL, "MPI_2REAL", "ff"},
                          {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", "dd"},
                          {MPI_2INTEGER, "MPI_2INTEGER", "iiiiiiii"}};
  static _Alignas(16) char in[kLargest * kMost], out[kLargest * kMost];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int counts[] = {1, 5, kMost / world_size};
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t)
    for (size_t o = 0; o < sizeof ops / sizeof *ops; ++o) {
      const type_t* type = &types[t];
      if (type->type == MPI_DATATYPE_NULL ||
          (strpbrk(type->parts, "fdl") != NULL && strncmp(ops[o].name, "MPI_L", 5) == 0))
        continue;  // MPICH 4.0 ends the process in logical operators on floating point
      MPI_Aint lower, extent;
      MPI_Type_get_extent(type->type, &lower, &extent);
      if (world_rank == 0) printf("%s %s:", ops[o].name, type->name);
      for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        const size_t size = (size_t)extent * (size_t)counts[c];
        unsigned long results[3];
        int code;
        fill(type, extent, (unsigned)(world_rank * 31 + (int)o), in);
        memset(out, 0, sizeof out);
        code = MPI_Allreduce(in, out, counts[c], type->type, ops[o].op, MPI_COMM_WORLD);
        results[0] = result_of(code, out, size);
        memset(out, 0, sizeof out);
        code = MPI_Reduce_scatter_block(in, out, counts[c], type->type, ops[o].op, MPI_COMM_WORLD);
        results[1] = result_of(code, out, size);
        memset(out, 0, sizeof out);
        code = MPI_Scan(in, out, counts[c], type->type, ops[o].op, MPI_COMM_WORLD);
        results[2] = result_of(code, out, size);
        if (world_rank == 0) printf(" %lx %lx %lx", results[0], results[1], results[2]);
      }
      if (world_rank == 0) printf("\n");
    }
  return end("every pair");
}
