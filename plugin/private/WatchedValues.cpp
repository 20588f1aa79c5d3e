//===- WatchedValues.cpp - What watchpoints show --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/WatchedValues.h"
#include "core/store/TraceStore.h"
#include "core/types/TypePrinter.h"
#include "lldb/API/LLDB.h"
#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/Symbol/Type.h"
#include "lldb/ValueObject/ValueObject.h"
#include "plugin/LoadedTrace.h"
#include "plugin/TargetTypes.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/StringSummaries.h"
#include "llvm/ADT/STLExtras.h"

using lldb_private::CompilerType;
using lldb_private::ValueObject;
using lldb_private::Watchpoint;

namespace rw {
struct WatchedType {
  typedef CompilerType Watchpoint::*type;
  friend type memberOf(WatchedType);
};
template struct Expose<WatchedType, &Watchpoint::m_type>;

struct OldWatched {
  typedef lldb::ValueObjectSP Watchpoint::*type;
  friend type memberOf(OldWatched);
};
template struct Expose<OldWatched, &Watchpoint::m_old_value_sp>;

struct NewWatched {
  typedef lldb::ValueObjectSP Watchpoint::*type;
  friend type memberOf(NewWatched);
};
template struct Expose<NewWatched, &Watchpoint::m_new_value_sp>;

struct StaticType {
  typedef CompilerType lldb_private::TypeImpl::*type;
  friend type memberOf(StaticType);
};
template struct Expose<StaticType, &lldb_private::TypeImpl::m_static_type>;

struct TypeOfObject {
  typedef CompilerType (ValueObject::*type)();
  friend type memberOf(TypeOfObject);
};
template struct Expose<TypeOfObject, &ValueObject::GetCompilerTypeImpl>;
} // namespace rw

using namespace rw;

namespace {
struct OpenType : lldb::SBType {
  explicit OpenType(const CompilerType &T) : SBType(T) {}
  explicit OpenType(const SBType &T) : SBType(T) {}
  lldb::TypeImplSP get() { return GetSP(); }
};
} // namespace

WatchedValues::WatchedValues(lldb::SBTarget Target) {
  if (auto V = arrayValue(Target, 3))
    Short = ((*V).*memberOf(TypeOfObject()))();
  // LLDB counts 64 watchpoints of ours; more share the first.
  constexpr unsigned Most = 64, OddSize = 65521;
  for (unsigned I = 0; I < Most; ++I)
    if (auto V = arrayValue(Target, OddSize))
      Free.push_back(std::move(V));
}

bool WatchedValues::Bytes::all() const {
  return llvm::all_of(Known, [](uint8_t K) { return K != 0; });
}

WatchedValues::Bytes WatchedValues::read(LoadedTrace &Trace,
                                         const Watchpoint &W, Moment At) {
  Bytes B;
  B.Value.resize(W.GetByteSize());
  B.Known.resize(W.GetByteSize());
  if (llvm::Error E =
          Trace.memory().read(At, W.GetLoadAddress(), B.Value, B.Known)) {
    llvm::consumeError(std::move(E));
    llvm::fill(B.Known, 0);
  }
  return B;
}

bool WatchedValues::note(const std::shared_ptr<Watchpoint> &W,
                         LoadedTrace &Trace, bool Ended) {
  Bytes Now = read(Trace, *W, Trace.engine().here().When);
  std::lock_guard<std::mutex> Lock(Mutex);
  for (auto It = Entries.begin(); It != Entries.end();)
    if (It->first.expired()) {
      Free.push_back(std::move(It->second.Stand));
      It = Entries.erase(It);
    } else {
      ++It;
    }
  CompilerType &Type = (*W).*memberOf(WatchedType());
  lldb::ValueObjectSP &Last = (*W).*memberOf(NewWatched());
  auto [It, New] = Entries.try_emplace(W);
  Entry &E = It->second;
  if (New) {
    E.Type = Type;
    if (Free.size() > 1) {
      E.Stand = std::move(Free.back());
      Free.pop_back();
    } else if (!Free.empty()) {
      E.Stand = Free.front();
    }
  }
  const bool All = Now.all();
  const ReplayStop Stop = Trace.engine().lastStop();
  // What it was is what it was before this access, in the direction of travel,
  // and not at the last stop, between which and here it may have changed.
  if (Ended && Stop.What == ReplayStop::Watchpoint) {
    const bool Forward = Trace.engine().here().When > Stop.Accessed;
    Bytes Was = read(Trace, *W, Stop.Accessed + !Forward);
    if (Last && E.Stand && (Was.Value != Now.Value || !Was.all()))
      Last = E.Stand;
    E.Last = std::move(Was);
  }
  // What LLDB reads next is told from what it kept by its size.
  if (!All && Last && E.Stand)
    Last = E.Stand;
  Type = All || !Short.IsValid() ? E.Type : Short;
  if (!Ended || New)
    E.Last = std::move(Now);
  return !All;
}

/// What the first \p Size bytes of \p Whole are.
static lldb::SBType partType(lldb::SBTarget Target, lldb::SBType Whole,
                             uint64_t Size) {
  if (Whole.GetByteSize() == Size)
    return Whole;
  if (lldb::SBType E = Whole.GetArrayElementType();
      E.IsValid() && E.GetByteSize() && Size % E.GetByteSize() == 0)
    return E.GetByteSize() == Size ? E : E.GetArrayType(Size / E.GetByteSize());
  return llvm::isPowerOf2_64(Size) && Size <= 8
             ? Target.GetBasicType(integerType(Size, /*Signed=*/false))
             : Target.GetBasicType(lldb::eBasicTypeChar).GetArrayType(Size);
}

bool WatchedValues::adopt(lldb::SBTarget Target,
                          const std::shared_ptr<Watchpoint> &W,
                          LoadedTrace &Trace, lldb::SBType Told,
                          bool ByAddress) {
  CompilerType &Type = (*W).*memberOf(WatchedType());
  OpenType Its(Type);
  const uint32_t Size = W->GetByteSize();
  lldb::SBType Whole = Told.IsValid() ? Told : lldb::SBType(Its);
  if (!Told.IsValid() && ByAddress && Its.IsPointerType()) {
    // Without a size LLDB watches as much as a pointer has.
    lldb::SBType Pointee = Its.GetPointeeType();
    if (Its.GetByteSize() != Size || Pointee.GetByteSize() == Size)
      Whole = Pointee;
  }
  lldb::SBType Own(Its); // what SBType compares with has a name
  // LLDB makes bytes of an address that is a mere number.
  if (!Told.IsValid() && ByAddress && Its.IsArrayType())
    Whole = lldb::SBType();
  const bool Other = Whole.GetByteSize() != Size || Whole != Own;
  if (Other) {
    OpenType To(partType(Target, Whole, Size));
    Type = (*To.get()).*memberOf(StaticType());
    Bytes B = read(Trace, *W, Trace.engine().here().When);
    lldb::SBError Error;
    lldb::SBData Data;
    Data.SetDataWithOwnership(Error, B.Value.data(), B.Value.size(),
                              Target.GetByteOrder(),
                              uint8_t(Target.GetAddressByteSize()));
    (*W).*memberOf(NewWatched()) =
        objectOf(Target.CreateValueFromData("watched", Data, To));
  }
  return note(W, Trace, /*Ended=*/false) || Other;
}

std::optional<std::string> WatchedValues::text(LoadedTrace &Trace,
                                               lldb::SBValue Value) {
  const lldb::ValueObjectSP V = objectOf(Value);
  std::shared_ptr<Watchpoint> W;
  Entry E;
  {
    // Whoever notes is not to wait for LLDB's locks.
    std::lock_guard<std::mutex> Lock(Mutex);
    for (const auto &[Weak, Its] : Entries)
      if (auto Alive = Weak.lock(); V && Alive &&
                                    (V == (*Alive).*memberOf(OldWatched()) ||
                                     V == (*Alive).*memberOf(NewWatched()))) {
        W = std::move(Alive);
        E = Its;
      }
  }
  if (!W)
    return std::nullopt;
  if (V != E.Stand && Value.GetType().GetByteSize() != 3)
    return std::nullopt;
  const Bytes B =
      V == E.Stand ? E.Last : read(Trace, *W, Trace.engine().here().When);
  const TraceHeader &H = Trace.store().header();
  TypeRef Type = describeType(OpenType(E.Type), H.Architecture);
  if (!Type || Type->Size != B.Value.size() ||
      (Type->Kind == TypeKind::Array && Type->Element &&
       Type->Element->Kind == TypeKind::Char))
    return describeKnown(B.Value, B.Known);
  PrinterContext C;
  C.BigEndian = H.Order == ByteOrder::Big;
  C.PointerBytes = H.Architecture == Arch::Arm ? 4 : 8;
  std::string Text = typedText(*Type, {B.Value, B.Known}, C);
  // LLDB shows a new letter without its number.
  if (const size_t Quote = Text.find('\'');
      Type->Kind == TypeKind::Char && Quote != Text.npos)
    Text.erase(0, Quote);
  return Text;
}
