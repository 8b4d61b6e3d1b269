// SPDX-License-Identifier: BSD-3-Clause
// A dense linear system, solved by ScaLAPACK's PDGESV again and again: panels shrink from step to step, so
// that hardly two collective calls of a solution are alike, and every one makes a datatype of its own.
//
//   bench_pdgesv_openmpi N NB SOLUTIONS    N unknowns in square blocks of NB, on a grid as square as can be
//
// The right-hand side is such that every unknown is 1. Prints the median time of a solution and the largest
// error.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The parts of ScaLAPACK and its BLACS that are used here; neither has a header.
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* my_row, int* my_column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* me, const int* first, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb,
               const int* first_row, const int* first_column, const int* context, const int* leading,
               int* info);
void pdgemv_(const char* transposed, const int* m, const int* n, const double* alpha, const double* a,
             const int* ia, const int* ja, const int* da, const double* x, const int* ix, const int* jx,
             const int* dx, const int* incx, const double* beta, double* y, const int* iy, const int* jy,
             const int* dy, const int* incy);
void pdgesv_(const int* n, const int* right_sides, double* a, const int* ia, const int* ja, const int* da,
             int* pivots, double* b, const int* ib, const int* jb, const int* db, int* info);

static const int kZero = 0, kOne = 1;

typedef struct {
  double* memory;
  int descriptor[9];
  size_t elements;  // here
} Matrix;

static int largest(int a, int b) { return a > b ? a : b; }

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes);
  if (memory != NULL) return memory;
  fprintf(stderr, "pdgesv: no memory for %zu bytes\n", bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

static Matrix matrix(int context, int rows, int columns, int block) {
  int grid_rows, grid_columns, row, column, info;
  Matrix made;
  Cblacs_gridinfo(context, &grid_rows, &grid_columns, &row, &column);
  const int rows_here = largest(1, numroc_(&rows, &block, &row, &kZero, &grid_rows));
  const int columns_here = largest(1, numroc_(&columns, &block, &column, &kZero, &grid_columns));
  descinit_(made.descriptor, &rows, &columns, &block, &block, &kZero, &kZero, &context, &rows_here, &info);
  made.elements = (size_t)rows_here * (size_t)columns_here;
  made.memory = allocate(made.elements * sizeof(double));
  return made;
}

static void fill(const Matrix* m, double value) {
  for (size_t i = 0; i < m->elements; ++i) m->memory[i] = value;
}

static void fill_randomly(const Matrix* m, unsigned seed) {
  srand(seed);
  for (size_t i = 0; i < m->elements; ++i) m->memory[i] = rand() / (double)RAND_MAX - 0.5;
}

static int in_order(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

int main(int argc, char** argv) {
  int rank, size, context, info = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc == 4 ? atoi(argv[1]) : 0, block = argc == 4 ? atoi(argv[2]) : 0;
  const int solutions = argc == 4 ? atoi(argv[3]) : 0;
  if (n < 1 || block < 1 || solutions < 1) {
    if (rank == 0) fprintf(stderr, "pdgesv: needs three positive numbers: unknowns, block, solutions\n");
    MPI_Finalize();
    return 2;
  }
  int grid_rows = (int)sqrt((double)size);
  while (size % grid_rows != 0) --grid_rows;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "Row", grid_rows, size / grid_rows);
  Matrix a = matrix(context, n, n, block), b = matrix(context, n, 1, block),
         ones = matrix(context, n, 1, block);
  int* pivots = allocate((a.elements + (size_t)block + (size_t)n) * sizeof(int));
  double* times = allocate((size_t)solutions * sizeof(double));
  const double one = 1, zero = 0;
  double error = 0;
  for (int i = 0; i < solutions && info == 0; ++i) {
    fill_randomly(&a, (unsigned)(rank + 1));
    fill(&ones, 1);
    pdgemv_("N", &n, &n, &one, a.memory, &kOne, &kOne, a.descriptor, ones.memory, &kOne, &kOne,
            ones.descriptor, &kOne, &zero, b.memory, &kOne, &kOne, b.descriptor, &kOne);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    pdgesv_(&n, &kOne, a.memory, &kOne, &kOne, a.descriptor, pivots, b.memory, &kOne, &kOne, b.descriptor,
            &info);
    MPI_Barrier(MPI_COMM_WORLD);
    times[i] = MPI_Wtime() - begin;
    int grid[2], me[2];
    Cblacs_gridinfo(context, &grid[0], &grid[1], &me[0], &me[1]);
    const int rows_here = numroc_(&n, &block, &me[0], &kZero, &grid[0]);
    for (int row = 0; me[1] == 0 && row < rows_here; ++row) error = fmax(error, fabs(b.memory[row] - 1));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  qsort(times, (size_t)solutions, sizeof(double), in_order);
  if (rank == 0) printf("solved in %.6f s, error %.1e, info %d\n", times[solutions / 2], error, info);
  free(a.memory), free(b.memory), free(ones.memory), free(pivots), free(times);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return info == 0 && error < 1e-6 ? 0 : 1;
}
