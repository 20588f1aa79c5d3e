//===- LibraryMembers.cpp - What operators of the library return ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LibraryMembers.h"

using namespace llvm;

namespace rw {

namespace {
struct Way {
  StringLiteral Library, Path;
};
} // namespace

static constexpr Way ElementWays[] = {
    {"vector", "_M_impl._M_start"},
    {"vector", "__begin_"},
    {"array", "_M_elems"},
    {"array", "__elems_"},
    {"basic_string", "_M_dataplus._M_p"},
    {"basic_string_view", "_M_str"},
    {"basic_string_view", "__data_"},
};

static constexpr Way PointerWays[] = {
    {"unique_ptr", "_M_t._M_t._M_head_impl"},
    {"unique_ptr", "__ptr_.__value_"},
    {"unique_ptr", "__ptr_"},
    {"shared_ptr", "_M_ptr"},
    {"shared_ptr", "__ptr_"},
    {"optional", "_M_payload._M_payload._M_value"},
    {"optional", "__val_"},
    {"reference_wrapper", "_M_data"},
    {"reference_wrapper", "__f_"},
};

static StringRef firstThatIs(ArrayRef<Way> Ways, const DwarfTypes &Types,
                             DWARFDie Type, StringRef Library) {
  for (const Way &W : Ways) {
    if (W.Library != Library)
      continue;
    DWARFDie In = Type;
    for (StringRef Path = W.Path; In && !Path.empty();
         Path = Path.split('.').second) {
      auto M = Types.findMember(In, Path.split('.').first);
      In = M.empty() ? DWARFDie() : typeOf(M[0].Member);
    }
    if (In)
      return W.Path;
  }
  return {};
}

StringRef elementsOf(const DwarfTypes &Types, DWARFDie Type,
                     StringRef Library) {
  return firstThatIs(ElementWays, Types, Type, Library);
}

StringRef pointedTo(const DwarfTypes &Types, DWARFDie Type, StringRef Library) {
  return firstThatIs(PointerWays, Types, Type, Library);
}

} // namespace rw
