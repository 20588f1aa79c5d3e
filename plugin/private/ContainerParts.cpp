//===- ContainerParts.cpp - Containers with unknown bytes -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/ContainerParts.h"
#include "core/store/TraceStore.h"
#include "core/types/Type.h"
#include "lldb/API/LLDB.h"
#include "lldb/Core/Value.h"
#include "lldb/DataFormatters/TypeCategory.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/DataFormatters/TypeSynthetic.h"
#include "lldb/Utility/LLDBAssert.h"
#include "plugin/LoadedTrace.h"
#include "plugin/TargetTypes.h"
#include "plugin/UnknownVariables.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/StringSummaries.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <dlfcn.h>
#include <map>

using namespace lldb;
using lldb_private::CompilerType;
using lldb_private::ConstString;
using lldb_private::SyntheticChildren;
using lldb_private::SyntheticChildrenFrontEnd;
using lldb_private::ValueObject;

// What LLDB's library has of these, and does not let us use.
namespace lldb_private {
SyntheticChildren::SyntheticChildren(const Flags &F) : m_flags(F) {}
SyntheticChildren::~SyntheticChildren() = default;
void _lldb_assert(bool, const char *, const char *, const char *, unsigned,
                  std::once_flag &) {} // its own says that a fault was found
} // namespace lldb_private

namespace rw {
struct ImplOfCategory {
  typedef TypeCategoryImplSP (SBTypeCategory::*type)();
  friend type memberOf(ImplOfCategory);
};
template struct Expose<ImplOfCategory, &SBTypeCategory::GetSP>;

struct TypeOfValue {
  typedef CompilerType lldb_private::Value::*type;
  friend type memberOf(TypeOfValue);
};
template struct Expose<TypeOfValue, &lldb_private::Value::m_compiler_type>;

struct SyntheticOf {
  typedef ValueObject *ValueObject::*type;
  friend type memberOf(SyntheticOf);
};
template struct Expose<SyntheticOf, &ValueObject::m_synthetic_value>;

struct UpdatePoint {
  typedef ValueObject::EvaluationPoint ValueObject::*type;
  friend type memberOf(UpdatePoint);
};
template struct Expose<UpdatePoint, &ValueObject::m_update_point>;

struct StaticTypeOf {
  typedef CompilerType lldb_private::TypeImpl::*type;
  friend type memberOf(StaticTypeOf);
};
template struct Expose<StaticTypeOf, &lldb_private::TypeImpl::m_static_type>;
} // namespace rw

using namespace rw;

namespace {
/// Not of its synthetic children, which are asked for here.
struct PlainValue : SBValue {
  explicit PlainValue(const ValueObjectSP &V) {
    SetSP(V, eNoDynamicValues, /*use_synthetic=*/false);
  }
};

struct OpenContainerType : SBType {
  explicit OpenContainerType(const SBType &T) : SBType(T) {}
  TypeImplSP get() { return GetSP(); }
};

/// What decides which elements there are: of the standard library not what is
/// in a union, where a value or its room is, and no element that lies in the
/// container. Of others, all that has a value.
struct Decisive {
  std::vector<uint8_t> Known; // of the container's bytes
  bool BigEndian, Standard;

  std::optional<uint64_t> unknownIn(uint64_t At, uint64_t Size) const {
    for (const uint64_t End = At + Size; At < End; ++At)
      if (At >= Known.size() || !Known[At])
        return At;
    return std::nullopt;
  }
  /// Where the first byte of them is that is unknown; counts them, up to that.
  std::optional<uint64_t> firstUnknown(const rw::Type &T, uint64_t At);
  unsigned Count = 0;
};
} // namespace

std::optional<uint64_t> Decisive::firstUnknown(const rw::Type &T, uint64_t At) {
  if (T.Kind == TypeKind::Array && T.Element && !T.Element->isScalar()) {
    for (uint64_t I = 0; I < T.Count; ++I)
      if (auto Hole = firstUnknown(*T.Element, At + I * T.Element->Size))
        return Hole;
    return std::nullopt;
  }
  if (T.Kind != TypeKind::Record || (T.Union && !Standard)) {
    ++Count;
    return unknownIn(At, T.Size);
  }
  if (T.Union)
    return std::nullopt;
  for (const rw::Type::Member &M : T.Members) {
    // What a container needs only to grow, of the compiler's own library.
    if (Standard && (M.Name == "_M_color" || M.Name == "_M_rehash_policy" ||
                     M.Name == "_M_single_bucket"))
      continue;
    if (M.BitWidth) {
      const FieldBytes B = fieldBytes(M, BigEndian);
      ++Count;
      if (auto Hole = unknownIn(At + B.First, B.Size))
        return Hole;
    } else if (!M.Is) {
      return At;
    } else if (auto Hole = firstUnknown(*M.Is, At + M.Offset / 8)) {
      return Hole;
    }
  }
  return std::nullopt;
}

/// Any type of a function: a value of that has no bytes. Not valid if \p Type
/// has none.
static SBType functionType(SBType Type) {
  for (uint32_t I = 0; I < Type.GetNumberOfMemberFunctions(); ++I)
    if (SBType F = Type.GetMemberFunctionAtIndex(I).GetType();
        F.IsValid() && (F.GetTypeFlags() & eTypeIsFuncPrototype))
      return F;
  for (uint32_t I = 0; I < Type.GetNumberOfDirectBaseClasses(); ++I)
    if (SBType F = functionType(
            Type.GetDirectBaseClassAtIndex(I).GetType().GetCanonicalType());
        F.IsValid())
      return F;
  return SBType();
}

/// A value of \p Type at \p Addr, which LLDB takes for the container's own: of
/// a function it has no bytes, and can be read.
static ValueObjectSP valueAt(SBTarget Target, SBType Its, uint64_t Addr) {
  ValueObjectSP V = zeroValue(Target, "container",
                              Target.GetBasicType(eBasicTypeUnsignedChar));
  TypeImplSP Type = OpenContainerType(Its).get();
  if (!V || !Type)
    return nullptr;
  lldb_private::Value &To = V->GetValue();
  To.*memberOf(TypeOfValue()) = (*Type).*memberOf(StaticTypeOf());
  To.SetValueType(lldb_private::Value::ValueType::LoadAddress);
  To.GetScalar() = lldb_private::Scalar(static_cast<unsigned long long>(Addr));
  return V;
}

bool rw::lacksMembers(SBType Type, unsigned Depth) {
  constexpr unsigned MostDepth = 16;
  Type = Type.GetCanonicalType();
  // A pointer's children may be those of what it leads to.
  if (!Depth && Type.IsPointerType())
    Type = Type.GetPointeeType().GetCanonicalType();
  else if (!Depth && Type.IsReferenceType())
    Type = Type.GetDereferencedType().GetCanonicalType();
  if (Depth > MostDepth ||
      !(Type.GetTypeFlags() & (eTypeIsStructUnion | eTypeIsClass)))
    return false;
  const uint32_t Fields = Type.GetNumberOfFields(),
                 Bases = Type.GetNumberOfDirectBaseClasses();
  if (!Fields && !Bases && Type.GetByteSize() > 1 && !Type.IsPolymorphicClass())
    return true;
  for (uint32_t I = 0; I < Bases; ++I)
    if (lacksMembers(Type.GetDirectBaseClassAtIndex(I).GetType(), Depth + 1))
      return true;
  for (uint32_t I = 0; I < Fields; ++I)
    if (lacksMembers(Type.GetFieldAtIndex(I).GetType(), Depth + 1))
      return true;
  return false;
}

namespace {
/// Asks LLDB's own.
class PartsFrontEnd final : public SyntheticChildrenFrontEnd {
public:
  PartsFrontEnd(ValueObject &Backend, AutoPointer Theirs)
      : SyntheticChildrenFrontEnd(Backend), Theirs(std::move(Theirs)) {}

  llvm::Expected<uint32_t> CalculateNumChildren() override {
    if (Hole)
      return unknown();
    return Theirs->CalculateNumChildren();
  }
  llvm::Expected<uint32_t> CalculateNumChildren(uint32_t Max) override {
    if (Hole)
      return unknown();
    return Theirs->CalculateNumChildren(Max);
  }
  ValueObjectSP GetChildAtIndex(uint32_t I) override;
  llvm::Expected<size_t> GetIndexOfChildWithName(ConstString Name) override {
    return Theirs->GetIndexOfChildWithName(Name);
  }
  ChildCacheState Update() override {
    Hole.reset();
    Standing = nullptr;
    Children.clear();
    check();
    const ChildCacheState State = Theirs->Update();
    return Hole ? ChildCacheState::eRefetch : State;
  }
  bool MightHaveChildren() override { return Theirs->MightHaveChildren(); }
  ValueObjectSP GetSyntheticValue() override {
    if (ValueObjectSP V = Theirs->GetSyntheticValue())
      return V;
    return Standing;
  }
  ConstString GetSyntheticTypeName() override {
    return Theirs->GetSyntheticTypeName();
  }

private:
  void check();
  llvm::Error unknown() const {
    // LLDB takes an error for a count of zero when it asks next.
    if (ValueObject *Its = m_backend.*memberOf(SyntheticOf()))
      (Its->*memberOf(UpdatePoint())).SetNeedsUpdate();
    return llvm::createStringError(
        llvm::formatv("unknown: the trace does not tell the memory at {0:x}",
                      *Hole)
            .str());
  }

  const AutoPointer Theirs;
  std::optional<uint64_t> Hole; ///< an address
  /// Read in place of the container.
  ValueObjectSP Standing;
  std::map<uint32_t, ValueObjectSP> Children; ///< in place of theirs
};

/// In the place of one of LLDB's, with all that it says of itself.
class PartsChildren final : public SyntheticChildren {
public:
  explicit PartsChildren(const SyntheticChildrenSP &Theirs)
      : SyntheticChildren(Flags(Theirs->GetOptions())), Theirs(Theirs) {
    if (Theirs->IsScripted()) {
      auto &Script =
          static_cast<lldb_private::ScriptedSyntheticChildren &>(*Theirs);
      Class = Script.GetPythonClassName();
      Code = Script.GetPythonCode();
    }
    m_my_revision = Theirs->GetRevision();
    m_ptr_match_depth = Theirs->GetPtrMatchDepth();
  }
  bool IsScripted() override { return Theirs->IsScripted(); }
  std::string GetDescription() override { return Theirs->GetDescription(); }
  SyntheticChildrenFrontEnd::AutoPointer
  GetFrontEnd(ValueObject &Backend) override {
    // It is shown as what it is made of, as far as that is known.
    if (lacksMembers(PlainValue(Backend.GetSP()).GetType()))
      return nullptr;
    auto FrontEnd = Theirs->GetFrontEnd(Backend);
    if (!FrontEnd)
      return FrontEnd;
    return std::make_unique<PartsFrontEnd>(Backend, std::move(FrontEnd));
  }

private:
  // LLDB takes whatever SBTypeSynthetic holds for one of a script, which has
  // these first.
  std::string Class, Code;
  const SyntheticChildrenSP Theirs;
};
} // namespace

ValueObjectSP PartsFrontEnd::GetChildAtIndex(uint32_t I) {
  if (Hole)
    return nullptr;
  ValueObjectSP Child = Theirs->GetChildAtIndex(I);
  // LLDB reads all bytes of a structure by another name.
  PlainValue V(Child);
  if (!Child || isGood(V) || (V.GetType().GetTypeFlags() & eTypeHasValue) ||
      !traceOf(V.GetTarget()))
    return Child;
  const auto Addr = unreadAt(V);
  if (!Addr)
    return Child;
  ValueObjectSP &Its = Children[I];
  Its = objectOf(V.CreateValueFromAddress(V.GetName(), *Addr, V.GetType()));
  return Its ? Its : Child;
}

void PartsFrontEnd::check() {
  SBValue V = PlainValue(m_backend.GetSP());
  auto Trace = traceOf(V.GetTarget());
  if (!Trace)
    return;
  SBType Type = V.GetType().GetCanonicalType();
  uint64_t Addr;
  const bool Behind = Type.IsPointerType() || Type.IsReferenceType();
  if (Behind) {
    SBError Error;
    Addr = V.GetValueAsUnsigned(Error);
    if (Error.Fail() || !Addr)
      return;
    Type = Type.IsPointerType() ? Type.GetPointeeType()
                                : Type.GetDereferencedType();
    Type = Type.GetCanonicalType();
  } else {
    Addr = V.GetLoadAddress();
  }
  Type = Type.GetUnqualifiedType();
  constexpr uint64_t MostBytes = 4096;
  const uint64_t Size = Type.GetByteSize();
  if (Addr == LLDB_INVALID_ADDRESS || !Size || Size > MostBytes)
    return;
  Decisive D;
  std::vector<uint8_t> Bytes(Size);
  D.Known.resize(Size);
  if (llvm::Error E = Trace->memory().read(Trace->engine().here().When, Addr,
                                           Bytes, D.Known)) {
    llvm::consumeError(std::move(E));
    return;
  }
  if (!D.unknownIn(0, Size))
    return;
  const TraceHeader &H = Trace->store().header();
  const llvm::StringRef Name = Type.GetName() ? Type.GetName() : "";
  D.BigEndian = H.Order == rw::ByteOrder::Big;
  D.Standard = Name.starts_with("std::");
  const bool ElementsInside =
      D.Standard && (Name.contains("::tuple<") || Name.contains("::array<"));
  if (!ElementsInside) {
    auto At = D.firstUnknown(*describeType(Type, H.Architecture), 0);
    // LLDB cannot read the debug information of some.
    if (!At && !D.Count)
      At = D.unknownIn(0, Size);
    if (At)
      Hole = Addr + *At;
    // A pointer is known for itself. But scripts make the summaries of some,
    // and take an error for no value.
    const bool Scripted =
        Name.contains("::optional<") || Name.contains("::variant<");
    if (Hole && (Scripted || !V.GetType().IsPointerType()))
      Standing =
          valueAt(V.GetTarget(),
                  V.GetTarget().GetBasicType(eBasicTypeUnsignedChar), *Hole);
    if (Hole)
      return;
  }
  if (!Behind)
    if (SBType F = functionType(Type); F.IsValid())
      Standing = valueAt(V.GetTarget(), F, Addr);
}

/// Makes a summary of LLDB's own, which may make a front end and trust it, say
/// nothing of what that would fall over.
static void guardSummary(lldb_private::TypeSummaryImpl &Summary) {
  using Format = lldb_private::CXXFunctionSummaryFormat;
  if (!Format::classof(&Summary))
    return;
  auto &Its = static_cast<Format &>(Summary);
  Its.SetBackendFunction([Theirs = Its.GetBackendFunction()](
                             ValueObject &V, lldb_private::Stream &Out,
                             const lldb_private::TypeSummaryOptions &Options) {
    return !lacksMembers(PlainValue(V.GetSP()).GetType()) &&
           Theirs(V, Out, Options);
  });
}

void rw::showKnownElements(SBDebugger Debugger) {
  static bool Done = false;
  if (!privateLLDB() || Done)
    return;
  Done = true;
  // LLDB destroys its formatters after it has closed its plugins.
  Dl_info Ours;
  if (!::dladdr(&Done, &Ours) ||
      !::dlopen(Ours.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
    return;
  // LLDB makes the category of a language when it is asked for.
  Debugger.GetCategory(eLanguageTypeC_plus_plus);
  for (uint32_t I = 0; I < Debugger.GetNumCategories(); ++I) {
    SBTypeCategory Category = Debugger.GetCategoryAtIndex(I);
    TypeCategoryImplSP Impl = (Category.*memberOf(ImplOfCategory()))();
    if (!Impl)
      continue;
    Impl->ForEach(
        lldb_private::TypeCategoryImpl::ForEachCallback<SyntheticChildren>(
            [](const lldb_private::TypeMatcher &,
               const SyntheticChildrenSP &Theirs) {
              // Its place decides which of several is taken.
              const_cast<SyntheticChildrenSP &>(Theirs) =
                  std::make_shared<PartsChildren>(Theirs);
              return true;
            }));
    Impl->ForEach(lldb_private::TypeCategoryImpl::ForEachCallback<
                  lldb_private::TypeSummaryImpl>(
        [](const lldb_private::TypeMatcher &,
           const std::shared_ptr<lldb_private::TypeSummaryImpl> &Summary) {
          guardSummary(*Summary);
          return true;
        }));
  }
}
