// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.hpp"

#include <algorithm>

namespace wave {
namespace {

bool on_all(bool holds, MPI_Comm communicator) {
  int all = holds ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator);
  return all == 1;
}

}  // namespace

SharedFile::SharedFile(const std::string& name, int mode, MPI_Comm communicator)
    : communicator_(communicator) {
  const bool opened = MPI_File_open(communicator, name.c_str(), mode, MPI_INFO_NULL, &file_) == MPI_SUCCESS;
  if (!opened) file_ = MPI_FILE_NULL;
  if (on_all(opened, communicator)) return;
  if (opened) MPI_File_close(&file_);
  file_ = MPI_FILE_NULL;
}

MPI_Offset SharedFile::size() const {
  MPI_Offset size = 0;
  MPI_File_get_size(file_, &size);
  return size;
}

std::string SharedFile::beginning(std::size_t bytes) {
  return read_text(0, std::min<std::size_t>(bytes, static_cast<std::size_t>(size())));
}

void SharedFile::write_text(MPI_Offset at, const std::string& text) {
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  if (rank != 0) return;
  is_good_ = MPI_File_write_at(file_, at, text.data(), static_cast<int>(text.size()), MPI_CHAR,
                               MPI_STATUS_IGNORE) == MPI_SUCCESS &&
             is_good_;
}

std::string SharedFile::read_text(MPI_Offset at, std::size_t bytes) {
  std::string text(bytes, ' ');
  is_good_ = MPI_File_read_at(file_, at, text.data(), static_cast<int>(bytes), MPI_CHAR, MPI_STATUS_IGNORE) ==
                 MPI_SUCCESS &&
             is_good_;
  return text;
}

template <typename Move>
void SharedFile::move(MPI_Offset at, const Block& block, MPI_Datatype type, const Move& move) {
  const int count = static_cast<int>(block.values());
  MPI_Datatype part = type;  // subarrays are never empty; who has nothing moves none of these
  if (count > 0) {
    MPI_Type_create_subarray(3, block.whole.data(), block.count.data(), block.first.data(), MPI_ORDER_C, type,
                             &part);
    MPI_Type_commit(&part);
  }
  MPI_File_set_view(file_, at, type, part, "native", MPI_INFO_NULL);
  MPI_Status status;
  int moved = 0;
  is_good_ = move(count, &status) == MPI_SUCCESS && is_good_;
  MPI_Get_count(&status, type, &moved);
  is_good_ = is_good_ && moved == count;
  MPI_File_set_view(file_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  if (count > 0) MPI_Type_free(&part);
}

void SharedFile::write(MPI_Offset at, const Block& block, MPI_Datatype type, const void* values) {
  move(at, block, type,
       [&](int count, MPI_Status* status) { return MPI_File_write_all(file_, values, count, type, status); });
}

void SharedFile::read(MPI_Offset at, const Block& block, MPI_Datatype type, void* values) {
  move(at, block, type,
       [&](int count, MPI_Status* status) { return MPI_File_read_all(file_, values, count, type, status); });
}

bool SharedFile::close() {
  if (!is_open()) return on_all(false, communicator_);
  is_good_ = MPI_File_close(&file_) == MPI_SUCCESS && is_good_;
  file_ = MPI_FILE_NULL;
  return on_all(is_good_, communicator_);
}

}  // namespace wave
