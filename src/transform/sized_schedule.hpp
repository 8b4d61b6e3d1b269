// SPDX-License-Identifier: BSD-3-Clause
// A schedule for blocks of another size. The structure of many algorithms' schedules does not depend on it:
// every place in a rank's own buffers is a multiple of the block, or a share of one where all ranks cut it
// alike. So calls whose sizes are of one class (size_class.hpp) share a structure, built for the largest of
// them, and what differs is written into a copy of it. Long messages go in as many fragments as the largest
// of the class, each of them shorter.
//
// A block of a v form that goes at once through shared memory lies in one of several places there: the
// shorter it is, the nearer is the place. One structure serves all lengths, also none. It is built for the
// longest; a shorter block gets the place that it has in a schedule built for short ones (NearerPlace), and
// an empty one keeps its copy, of no bytes.
//
// SizedSchedule finds out only once which numbers of a schedule depend on the size. So a call of a new size
// takes hardly longer than a call of a known one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft {

// Where parcels that go at once lie in shared memory if they are so short.
struct NearerPlace {
  struct End {
    BufferId buffer = kInput;  // kInput: it does not go at once
    Bytes offset;
  };

  // By a schedule of such parcels, in which the others are empty.
  NearerPlace(Bytes most, const Schedule& schedule);

  Bytes most;
  std::vector<End> outgoing, incoming;  // by parcel
};

class SizedSchedule {
 public:
  // For the sizes of the structure, which outlives it. The nearest first.
  explicit SizedSchedule(const Schedule& structure, std::span<const NearerPlace> nearer = {});
  SizedSchedule(const SizedSchedule&) = delete;
  SizedSchedule& operator=(const SizedSchedule&) = delete;

  const Schedule& schedule() const { return now_; }

  // From now on it is for blocks of so many bytes: at least one and at most what the structure was built for.
  // Requires an algorithm that scales (see Algorithm). What lies in shared memory stays where it is, and is
  // shorter; scratch keeps its size, and what a task does there is as long as at its other end. Of parts of a
  // block that lie at neither end in a buffer of the rank's, another task with the same target says how long
  // they are; if there is none, they lie in cells of a block each, and there as in a block.
  void resize(Bytes bytes);
  // From now on it is for these parcels, for whose class the structure was built. What goes at once through
  // shared memory lies there in the place for its length; the rest stays where it is, and is shorter.
  void resize(const Parcels& parcels);

 private:
  // A place or size of `now_` that was so many whole blocks, and is so many.
  struct Blocks {
    Bytes* now;
    std::int64_t count;
  };
  // One that was not: what the structure had there, from where to where.
  struct Range {
    Bytes* now;
    Bytes begin, size;
  };
  // A range of a parcel: where it was in the parcel of the class.
  struct PartOfParcel {
    Bytes *offset, *size;
    const Parcel* parcel;
    Bytes begin, length;
  };
  // What is as long as a parcel.
  struct SizeOfParcel {
    Bytes* now;
    const Parcel* parcel;
  };
  // A parcel lies in the first of its places that is large enough.
  struct Place {
    Bytes most;
    NearerPlace::End end;
  };
  struct PlaceOfParcel {
    BufferId* buffer;
    Bytes* offset;
    const Parcel* parcel;
    std::size_t begin;  // of its places in places_
  };

  void find_numbers();
  void add_range(Bytes& now, Bytes begin, Bytes size);
  void find_parcels(std::span<const NearerPlace> nearer);
  // Returns the index of the parcel to which the range belongs.
  std::size_t add_part(const std::vector<Parcel>& of_class, const std::vector<Parcel>& parcels, Bytes& offset,
                       Bytes& size);
  void add_places(std::span<const NearerPlace> nearer, std::vector<NearerPlace::End> NearerPlace::*ends,
                  std::size_t which, BufferId& buffer, Bytes& offset);

  const Schedule& structure_;
  Schedule now_;
  std::vector<Blocks> blocks_;
  std::vector<Range> ranges_;
  bool has_shares_ = false;
  std::vector<PartOfParcel> parts_;
  std::vector<SizeOfParcel> sizes_;
  std::vector<Place> places_;
  std::vector<PlaceOfParcel> in_places_;
};

}  // namespace weft
