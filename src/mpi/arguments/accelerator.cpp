// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/accelerator.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/library_functions.hpp"
#include "base/loaded_libraries.hpp"
#include "base/log.hpp"
#include "mpi/arguments/datatype.hpp"

namespace weft::mpi {
namespace {

// What is done with one kind of accelerator.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual bool owns(const void* address) = 0;
  virtual bool copy(const void* there, std::span<const AcceleratorCopy> copies) = 0;
};

// The CUDA driver API. Copies run in a stream of their own per context, which no work of the program's is in.
class Cuda final : public Driver {
 public:
  explicit Cuda(LibraryFunctions library)
      : is_complete_(library.find(attribute_of_, "cuPointerGetAttribute") &&
                     library.find(push_, "cuCtxPushCurrent_v2") && library.find(pop_, "cuCtxPopCurrent_v2") &&
                     library.find(make_stream_, "cuStreamCreate") && library.find(copy_, "cuMemcpyAsync") &&
                     library.find(wait_, "cuStreamSynchronize")) {}
  bool is_complete() const { return is_complete_; }

  // What the processor may touch as well ("managed") is none.
  bool owns(const void* address) override {
    constexpr int kMemoryType = 2, kIsManaged = 8;  // CUpointer_attribute
    constexpr unsigned kInDevice = 2;               // CUmemorytype
    unsigned type = 0, is_managed = 0;
    if (attribute_of_(&type, kMemoryType, address) != kSuccess || type != kInDevice) return false;
    return attribute_of_(&is_managed, kIsManaged, address) != kSuccess || is_managed == 0;
  }
  bool copy(const void* there, std::span<const AcceleratorCopy> copies) override {
    constexpr int kContext = 1;  // CUpointer_attribute
    void* context = nullptr;
    if (attribute_of_(&context, kContext, there) != kSuccess || push_(context) != kSuccess) return false;
    void*& stream = streams_[context];
    constexpr unsigned kNonBlocking = 1;  // CUstream_flags
    bool ok = stream != nullptr || make_stream_(&stream, kNonBlocking) == kSuccess;
    for (const AcceleratorCopy& one : copies)
      ok = ok && copy_(one.to, one.from, static_cast<std::size_t>(one.size.value), stream) == kSuccess;
    ok = ok && wait_(stream) == kSuccess;
    pop_(&context);
    return ok;
  }

 private:
  static constexpr int kSuccess = 0;

  int (*attribute_of_)(void* value, int attribute, const void* address) = nullptr;
  int (*push_)(void* context) = nullptr;
  int (*pop_)(void** context) = nullptr;
  int (*make_stream_)(void** stream, unsigned flags) = nullptr;
  int (*copy_)(void* to, const void* from, std::size_t bytes, void* stream) = nullptr;
  int (*wait_)(void* stream) = nullptr;
  bool is_complete_;
  std::map<void*, void*> streams_;  // by context
};

// ROCm's HIP. Its kinds of memory have other numbers in each version; where the addresses lie has not.
class Hip final : public Driver {
 public:
  explicit Hip(LibraryFunctions library)
      : is_complete_(library.find(attributes_of_, "hipPointerGetAttributes") &&
                     library.find(device_, "hipGetDevice") && library.find(use_device_, "hipSetDevice") &&
                     library.find(forget_error_, "hipGetLastError") &&
                     library.find(make_stream_, "hipStreamCreateWithFlags") &&
                     library.find(copy_, "hipMemcpyAsync") && library.find(wait_, "hipStreamSynchronize")) {}
  bool is_complete() const { return is_complete_; }

  bool owns(const void* address) override {
    const std::optional<Attributes> found = attributes(address);
    return found && found->in_device != nullptr && found->in_host == nullptr && found->is_managed == 0;
  }
  bool copy(const void* there, std::span<const AcceleratorCopy> copies) override {
    const std::optional<Attributes> found = attributes(there);
    int before = 0;
    if (!found || device_(&before) != kSuccess || use_device_(found->device) != kSuccess) return false;
    void*& stream = streams_[found->device];
    constexpr unsigned kNonBlocking = 1;
    constexpr int kByAddresses = 4;  // hipMemcpyDefault
    bool ok = stream != nullptr || make_stream_(&stream, kNonBlocking) == kSuccess;
    for (const AcceleratorCopy& one : copies)
      ok = ok && copy_(one.to, one.from, static_cast<std::size_t>(one.size.value), kByAddresses, stream) ==
                     kSuccess;
    ok = ok && wait_(stream) == kSuccess;
    use_device_(before);
    return ok;
  }

 private:
  static constexpr int kSuccess = 0;
  struct Attributes {  // hipPointerAttribute_t; later versions may add to it
    int type, device;
    void *in_device, *in_host;
    int is_managed;
    unsigned flags;
    std::array<std::uint64_t, 8> more;
  };

  std::optional<Attributes> attributes(const void* address) {
    Attributes found{};
    if (attributes_of_(&found, address) == kSuccess) return found;
    forget_error_();  // the program would find it
    return std::nullopt;
  }

  int (*attributes_of_)(Attributes* attributes, const void* address) = nullptr;
  int (*device_)(int* device) = nullptr;
  int (*use_device_)(int device) = nullptr;
  int (*forget_error_)() = nullptr;
  int (*make_stream_)(void** stream, unsigned flags) = nullptr;
  int (*copy_)(void* to, const void* from, std::size_t bytes, int kind, void* stream) = nullptr;
  int (*wait_)(void* stream) = nullptr;
  bool is_complete_;
  std::map<int, void*> streams_;  // by device
};

// The library of this name, whatever its version, if it is among `libraries`.
void* find_loaded(std::span<const std::string> libraries, std::string_view name) {
  for (const std::string& path : libraries)
    if (std::string_view(path).substr(path.rfind('/') + 1).starts_with(name))
      if (void* library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) return library;
  return nullptr;
}

struct Drivers {
  std::unique_ptr<Cuda> cuda;
  std::unique_ptr<Hip> hip;
  bool is_unknown = false;  // Level Zero, or a driver without the functions that are needed
  unsigned long long looked_at = 0;

  template <class Known>
  void take(std::unique_ptr<Known>& known, void* library) {
    if (known != nullptr || library == nullptr) return;
    known = std::make_unique<Known>(LibraryFunctions(library));
    if (known->is_complete()) return;
    known = nullptr;
    is_unknown = true;
  }
};

// Those that are loaded by now. Under the engine's lock, or in MPI_Init.
Drivers& drivers() {
  static Drivers& all = *new Drivers;
  if (const auto now = count_of_loads(); now != all.looked_at) {
    all.looked_at = now;
    const std::vector<std::string> libraries = loaded_libraries();
    all.take(all.cuda, find_loaded(libraries, "libcuda.so"));
    all.take(all.hip, find_loaded(libraries, "libamdhip64.so"));
    all.is_unknown = all.is_unknown || find_loaded(libraries, "libze_loader.so") != nullptr;
  }
  return all;
}

bool host_takes(std::initializer_list<const char*> questions) {
  return std::any_of(questions.begin(), questions.end(), [](const char* question) {
    const auto ask = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, question));
    return ask != nullptr && ask() != 0;
  });
}

Driver* owner_of(const void* address) {
  Drivers& all = drivers();
  if (all.cuda && all.cuda->owns(address)) return all.cuda.get();
  if (all.hip && all.hip->owns(address)) return all.hip.get();
  return nullptr;
}

}  // namespace

AcceleratorUse accelerator_use() {
  static const bool host_takes_level_zero = host_takes({"MPIX_Query_ze_support"});
  static const bool host_takes_others =
      host_takes({"MPIX_Query_cuda_support", "MPIX_Query_hip_support", "MPIX_Query_rocm_support"});
  const Drivers& all = drivers();
  if (all.is_unknown || host_takes_level_zero) return AcceleratorUse::kLeftToHost;
  return all.cuda || all.hip || host_takes_others ? AcceleratorUse::kCopied : AcceleratorUse::kNone;
}

bool is_in_accelerator(const void* buffer, MPI_Datatype type) {
  if (buffer == MPI_IN_PLACE) return false;
  const auto* address = static_cast<const std::byte*>(buffer);
  if (address == nullptr) address += type != MPI_DATATYPE_NULL ? facts_of(type).lower : 0;
  return address != nullptr && owner_of(address) != nullptr;
}

int copy_by_driver(const void* there, std::span<const AcceleratorCopy> copies) {
  Driver* const driver = owner_of(there);
  if (driver != nullptr && driver->copy(there, copies)) return MPI_SUCCESS;
  log_message("the driver of an accelerator has refused to copy between its memory and this process's");
  return MPI_ERR_OTHER;
}

}  // namespace weft::mpi
