// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <memory>

#include "progress_bar.hpp"
#include "transforms.hpp"
#include "verdict.hpp"
#include "yardstick.hpp"

namespace fft3d {
namespace {

template <typename T>
std::vector<T*> pointers_to(std::vector<Array<T>>& arrays) {
  std::vector<T*> pointers;
  for (Array<T>& array : arrays) pointers.push_back(array.data());
  return pointers;
}

/// The variables of one transform: the fields, their spectra, and what comes back.
template <typename Field>
class Bench {
 public:
  using Complex = ComplexOf<Field>;

  Bench(Transform<Field>& transform, const Decomposition& decomposition, int variables)
      : transform_(transform), grid_(decomposition.grid()), communicator_(decomposition.communicator()) {
    app::together(communicator_, [&] {
      for (int variable = 0; variable < variables; ++variable) {
        fields_.emplace_back(transform.field_size());
        spectra_.emplace_back(transform.spectrum_size());
        back_.emplace_back(transform.field_size());
      }
    });
  }

  void fill(const Yardstick<Field>& yardstick) {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      yardstick.fill(static_cast<int>(i), transform_.field(), fields_[i].data());
  }

  Run run() {
    for (auto& array : back_) std::fill(array.begin(), array.end(), Field{});
    const auto fields = pointers_to(fields_);
    const auto spectra = pointers_to(spectra_);
    const auto back = pointers_to(back_);
    const std::vector<const Field*> from(fields.begin(), fields.end());
    const std::vector<const Complex*> coefficients(spectra.begin(), spectra.end());
    transform_.times = {};
    MPI_Barrier(communicator_);
    const double start = MPI_Wtime();
    transform_.forward(from, spectra);
    const double middle = MPI_Wtime();
    transform_.backward(coefficients, back);
    const double end = MPI_Wtime();
    return {slowest(end - start, communicator_), slowest(middle - start, communicator_),
            slowest(end - middle, communicator_), mean_of(transform_.times, communicator_)};
  }

  void check(const Yardstick<Field>& yardstick, TestOutcome& outcome) {
    const Block field = transform_.field();
    const Block spectrum = transform_.spectrum();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto raise = [](double& worst, double error) { worst = std::max(worst, error); };
      raise(outcome.spectrum, yardstick.spectrum_error(static_cast<int>(i), spectrum, spectra_[i].data()));
      raise(outcome.parseval,
            parseval_error(grid_, field, fields_[i].data(), spectrum, spectra_[i].data(), communicator_));
      raise(outcome.round_trip,
            round_trip_error(grid_, field, fields_[i].data(), back_[i].data(), communicator_));
    }
  }

 private:
  Transform<Field>& transform_;
  Grid grid_;
  MPI_Comm communicator_;
  std::vector<Array<Field>> fields_, back_;
  std::vector<Array<Complex>> spectra_;
};

/// Each test once, which warms up too; then the last one timed, and checked every time.
template <typename Field>
void measure(Transform<Field>& transform, const Decomposition& decomposition, Report& report) {
  const Options& options = report.options;
  const bool is_checked = options.form.exchanges != Exchanges::kSkipped;
  const MPI_Comm communicator = decomposition.communicator();
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  Bench<Field> bench(transform, decomposition, options.variables);
  app::ProgressBar progress("fft3d", options.repeat_count + 2, rank == 0);

  std::unique_ptr<Yardstick<Field>> yardstick;
  const auto warm_up = [&](const char* name, std::unique_ptr<Yardstick<Field>> made) {
    yardstick = std::move(made);
    bench.fill(*yardstick);
    bench.run();
    progress.advance();
    if (!is_checked) return;
    bench.check(*yardstick, report.tests.emplace_back(TestOutcome{.field = name}));
  };
  if (options.test_sine) warm_up("sine", make_sine<Field>(options.grid, communicator));
  if (options.test_random)
    warm_up("random", make_random<Field>(options.grid, options.variables, transform.field(),
                                         transform.spectrum(), communicator));
  for (int i = 0; i < options.repeat_count; ++i) {
    report.runs.push_back(bench.run());
    progress.advance();
    if (is_checked) bench.check(*yardstick, report.tests.back());
  }
}

template <typename Field>
void measure_as(const Decomposition& decomposition, Report& report) {
  const auto transform = make_transform<Field>(decomposition, report);
  measure<Field>(*transform, decomposition, report);
}

}  // namespace

double slowest(double seconds, MPI_Comm communicator) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, communicator);
  return seconds;
}

void measure_transforms(const Decomposition& decomposition, Report& report) {
  const bool is_real = report.options.grid.is_real;
  if (report.options.is_single) {
    if (is_real) measure_as<float>(decomposition, report);
    else measure_as<std::complex<float>>(decomposition, report);
  } else {
    if (is_real) measure_as<double>(decomposition, report);
    else measure_as<std::complex<double>>(decomposition, report);
  }
}

}  // namespace fft3d
