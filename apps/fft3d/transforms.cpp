// SPDX-License-Identifier: BSD-3-Clause
#include "transforms.hpp"

#include "fftw_reference.hpp"
#include "verdict.hpp"

namespace fft3d {

template <typename Field>
std::unique_ptr<Transform<Field>> make_transform(const Decomposition& decomposition, Report& report) {
  const Form& form = report.options.form;
  if (form.exchanges == Exchanges::kFftw)
    return make_fftw_reference<Field>(decomposition.grid(), form.effort, decomposition.communicator());
  std::unique_ptr<Plan<Field>> plan;
  app::together(decomposition.communicator(),
                [&] { plan = std::make_unique<Plan<Field>>(decomposition, form); });
  report.planes_per_message = plan->planes_per_message();
  return plan;
}

template std::unique_ptr<Transform<double>> make_transform(const Decomposition&, Report&);
template std::unique_ptr<Transform<float>> make_transform(const Decomposition&, Report&);
template std::unique_ptr<Transform<std::complex<double>>> make_transform(const Decomposition&, Report&);
template std::unique_ptr<Transform<std::complex<float>>> make_transform(const Decomposition&, Report&);

}  // namespace fft3d
