// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/arguments/datatype.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "mpi/arguments/type_contents.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/host/handle.hpp"

namespace weft::mpi {
namespace {

int kept_keyval = MPI_KEYVAL_INVALID;  // of an attribute of kept types, which tells when they are freed

// The predefined types, and those whose facts are kept. Never destroyed, as the engine.
HandleTable<MPI_Datatype, TypeFacts, 6>& known_types() {
  static auto& types = *new HandleTable<MPI_Datatype, TypeFacts, 6>;
  return types;
}

// Kept types that the program has freed since known_types() was looked at. The host tells by deleting their
// attribute, in any thread and whatever lock that holds.
struct FreedTypes {
  YieldingLock lock;
  std::vector<MPI_Datatype> types;
};
FreedTypes& freed_types() {
  static auto& types = *new FreedTypes;
  return types;
}
std::atomic<unsigned> freed_so_far{0};

struct KindList {
  TypeKind kind;
  std::vector<MPI_Datatype> types;
};

std::vector<KindList> predefined_by_kind() {
  return {
      {TypeKind::kInteger,
       {MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T,
        MPI_INT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4,
        MPI_INTEGER8}},
      {TypeKind::kInteger,
       {MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T}},
      {TypeKind::kFloating,
       {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8}},
      {TypeKind::kComplex,
       {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX,
        MPI_DOUBLE_COMPLEX}},
      {TypeKind::kLogical, {MPI_LOGICAL, MPI_C_BOOL}},
      {TypeKind::kByte, {MPI_BYTE}},
      {TypeKind::kPair,
       {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_2REAL,
        MPI_2DOUBLE_PRECISION, MPI_2INTEGER}},
      {TypeKind::kOther,
       {MPI_CHAR, MPI_WCHAR, MPI_CHARACTER, MPI_PACKED, MPI_CXX_BOOL, MPI_CXX_FLOAT_COMPLEX,
        MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX}},
  };
}

// Whether the type may be used to communicate, that is, was committed: there is no call that says so, but
// every receive of something checks it, also one from nobody, which writes nothing.
bool is_committed(MPI_Datatype type) {
  char nothing = 0;
  return PMPI_Recv(&nothing, 1, type, MPI_PROC_NULL, 0, engine().transport_comm, MPI_STATUS_IGNORE) ==
         MPI_SUCCESS;
}

// Packs one element filled with a pattern and compares. MPI_Pack is asked because it alone knows the order of
// a type's map: displacements (4, 0) cover the same bytes as (0, 4). Its errors must not reach the program.
int pack_one(MPI_Datatype type, std::vector<unsigned char>& memory, std::vector<unsigned char>& packed) {
  int position = 0;
  return PMPI_Pack(memory.data(), 1, type, packed.data(), static_cast<int>(packed.size()), &position,
                   engine().transport_comm);
}

// Three planes of the byte's position tell any two places apart; larger types are not packed to find out.
void try_packing(MPI_Datatype type, TypeFacts& facts) {
  constexpr MPI_Count kLargest = 1 << 20;
  facts.packs_to_itself = facts.size <= kLargest;
  if (facts.size > kLargest) return;
  std::vector<unsigned char> memory(static_cast<std::size_t>(facts.size)), packed(memory.size());
  for (int shift = 0; shift < 24 && (shift == 0 || (facts.size >> shift) > 0); shift += 8) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<unsigned char>(i >> shift);
    const bool was_packed = pack_one(type, memory, packed) == MPI_SUCCESS;
    facts.packs_to_itself = facts.packs_to_itself && was_packed && memory == packed;
  }
}

TypeFacts study(MPI_Datatype type, TypeKind kind) {
  TypeFacts facts;
  MPI_Count lower = 0, length = 0;
  PMPI_Type_size_x(type, &facts.size);
  PMPI_Type_get_extent_x(type, &lower, &facts.extent);
  PMPI_Type_get_true_extent_x(type, &facts.lower, &length);
  facts.overlaps = facts.extent < length;
  facts.kind = kind;
  // Elements one after another are their packed form without a gap.
  const bool filled = lower == 0 && facts.lower == 0 && facts.size == facts.extent && length == facts.extent;
  // The padding of a predefined pair is nobody's data, so that it may travel with it.
  facts.has_gaps = !filled && kind != TypeKind::kPair;
  facts.packs_to_itself = facts.size == 0 || (filled && kind != TypeKind::kDerived);
  if (kind != TypeKind::kDerived) return facts;
  facts.usable = is_committed(type);
  if (!facts.usable || facts.size == 0) return facts;
  facts.layout = layout_of(type);
  if (filled && facts.layout.is_known()) facts.packs_to_itself = facts.layout.blocks == 1;
  else if (filled) try_packing(type, facts);
  return facts;
}

TypeFacts study(MPI_Datatype type) {
  return study(type, combiner_of(type) == MPI_COMBINER_NAMED ? TypeKind::kOther : TypeKind::kDerived);
}

// Types that were met once so far. Their facts are kept when they are met again: some programs make a type
// for each call, and keeping costs the host more than that call does.
struct FirstMet {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::uint64_t tenure = 0;  // of the engine's lock: while that is held, no other type comes by this handle
  TypeFacts facts;
};
std::array<FirstMet, 4> first_met;

FirstMet* find_first_met(MPI_Datatype type) {
  const auto found = std::find_if(first_met.begin(), first_met.end(),
                                  [type](const FirstMet& one) { return one.type == type; });
  return found == first_met.end() ? nullptr : &*found;
}

int note_freed(MPI_Datatype type, int, void*, void*) {
  {
    const std::lock_guard lock(freed_types().lock);
    freed_types().types.push_back(type);
  }
  freed_so_far.fetch_add(1, std::memory_order_release);
  return MPI_SUCCESS;
}

void forget_freed() {
  const std::lock_guard lock(freed_types().lock);
  for (const MPI_Datatype type : freed_types().types) {
    delete known_types().find(type);
    known_types().remove(type);
  }
  freed_types().types.clear();
}

const TypeFacts& keep(MPI_Datatype type, const TypeFacts& facts) {
  // Where the host will not tell that the type is freed, nothing is kept.
  if (PMPI_Type_set_attr(type, kept_keyval, nullptr) != MPI_SUCCESS) return facts;
  auto* const kept = new TypeFacts(facts);
  kept->is_kept = true;
  known_types().add(type, kept);
  return *kept;
}

// Where there is no place left, this one is kept at once, and the next in turn of those that were met, which
// may be used once in the program's life, leaves its place to the type after this one.
const TypeFacts& meet_first(MPI_Datatype type, const TypeFacts& facts) {
  static std::size_t in_turn = 0;
  FirstMet* const place = find_first_met(MPI_DATATYPE_NULL);
  if (place == nullptr) {
    first_met[in_turn++ % first_met.size()].type = MPI_DATATYPE_NULL;
    return keep(type, facts);
  }
  *place = {type, engine().tenure, facts};
  return place->facts;
}

}  // namespace

void learn_predefined_types() {
  for (const auto& [kind, types] : predefined_by_kind())
    for (const MPI_Datatype type : types)
      if (type != MPI_DATATYPE_NULL && known_types().find(type) == nullptr)
        known_types().add(type, new TypeFacts(study(type, kind)));
  PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, note_freed, &kept_keyval, nullptr);
}

void for_each_predefined_type(const std::function<void(MPI_Datatype, TypeFacts&)>& visit) {
  for (const KindList& list : predefined_by_kind())
    for (const MPI_Datatype type : list.types)
      if (type != MPI_DATATYPE_NULL) visit(type, *known_types().find(type));
}

unsigned kept_types_freed() { return freed_so_far.load(std::memory_order_acquire); }

const TypeFacts& facts_of(MPI_Datatype type) {
  static unsigned forgotten = 0;
  if (const unsigned freed = kept_types_freed(); freed != forgotten) [[unlikely]] {
    forgotten = freed;
    forget_freed();
  }
  if (const TypeFacts* known = known_types().find(type)) return *known;
  FirstMet* const met = find_first_met(type);
  if (met != nullptr && met->tenure == engine().tenure) return met->facts;
  static TypeFacts studied;
  studied = study(type);
  if (!studied.usable) return studied;  // it may be committed later
  if (met == nullptr) return meet_first(type, studied);
  met->type = MPI_DATATYPE_NULL;
  return keep(type, studied);
}

const TypeFacts& facts_in_use(MPI_Datatype type) {
  const FirstMet* const met = find_first_met(type);
  return met != nullptr ? met->facts : facts_of(type);
}

void forget_type(MPI_Datatype type) {
  if (FirstMet* const met = find_first_met(type)) met->type = MPI_DATATYPE_NULL;
}

}  // namespace weft::mpi
