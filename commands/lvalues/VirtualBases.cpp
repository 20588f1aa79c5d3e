//===- VirtualBases.cpp - Bases that only the object places ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/FrameState.h"
#include "commands/lvalues/LvalueParser.h"
#include "commands/support/Format.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// Where \p V lies of the object at \p Object: by the expression that debug
/// information has for it, which asks the object's table of virtual functions.
Expected<uint64_t> LvalueParser::baseAddress(const DwarfTypes::Found &V,
                                             uint64_t Object) const {
  const char *Name = typeOf(V.Member).getShortName();
  const std::string Where = "'" + read().str() + "': where the virtual base " +
                            (Name ? Name : "") + " lies";
  auto Unclear = [&] {
    return userError(Where + " is not understood here; LLDB may know it");
  };
  const auto Form = V.Member.find(DW_AT_data_member_location);
  const auto Block = Form ? Form->getAsBlock() : std::nullopt;
  if (!Block)
    return Unclear();
  FrameState State(S, At, std::nullopt, nullptr, 0);
  auto Addr = State.memberAddress(*Block, *V.Member.getDwarfUnit(), Object);
  if (Addr)
    return *Addr;
  Error E = Addr.takeError();
  const bool Unknown = E.isA<UnknownValue>();
  consumeError(std::move(E));
  if (Unknown)
    return make_error<UnknownValue>(Where + " is not known at that place");
  return Unclear();
}

/// The virtual base of \p L that has a member \p Name, or has a base that has
/// it; none if there is none.
Expected<std::optional<Lvalue>> LvalueParser::virtualBase(const Lvalue &L,
                                                          StringRef Name) {
  std::optional<Lvalue> Only;
  for (const DwarfTypes::Found &V : Source.Types.virtualBases(L.Type)) {
    if (!Source.Types.hasMember(typeOf(V.Member), Name))
      continue;
    Fixed = false;
    Lvalue Base;
    Base.Type = typeOf(V.Member);
    if (TypesOnly)
      return Base;
    if (L.At.Where != VariablePlace::Memory)
      return userError("'" + read() +
                       "': it is of a virtual base, and the object is not in "
                       "memory here");
    auto Addr = baseAddress(V, L.At.Addr + L.Offset + V.Bits / 8);
    if (!Addr)
      return Addr.takeError();
    Base.At.Addr = *Addr;
    // By each way it is the same one.
    if (Only && Only->At.Addr != *Addr)
      return userError("'" + read() +
                       "' is ambiguous: several virtual bases have it");
    Only = std::move(Base);
  }
  return Only;
}

} // namespace rw
