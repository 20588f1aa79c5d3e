//===- LibraryValue.cpp - What objects of the C++ library hold ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/types/LibraryValue.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

/// No container has more: it is no container yet.
static constexpr uint64_t MostCount = uint64_t(1) << 40;
static constexpr unsigned MostTreeDepth = 128;

/// What compilers align a type to, as far as its parts tell.
static uint64_t alignmentOf(const Type &T, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 32;
  uint64_t Most = 1;
  if (Depth > MostDepth)
    return Most;
  if (T.Kind == TypeKind::Record) {
    for (const Type::Member &M : T.Members)
      if (M.Is)
        Most = std::max(Most, alignmentOf(*M.Is, Depth + 1));
    return Most;
  }
  if (T.Kind == TypeKind::Array)
    return T.Element ? alignmentOf(*T.Element, Depth + 1) : Most;
  return isPowerOf2_64(T.Size) ? std::min<uint64_t>(T.Size, 16) : Most;
}

namespace {

/// A part of the object, or of what a pointer in it leads to.
struct Spot {
  TypeRef Is;
  bool Inside = true;
  uint64_t At = 0; ///< offset in the object, or an address
};

using Found = std::optional<LibraryValue>;

class Finder {
public:
  Finder(const Type &T, KnownBytes V, const PrinterContext &C, unsigned Most)
      : T(T), V(V), C(C),
        Most(Most), All{TypeRef(TypeRef(), &T), /*Inside=*/true, 0} {}

  Found find();

private:
  using Walk = Found (Finder::*)();
  static Walk walkOf(StringRef Library);

  Found string();
  Found view();
  Found vector();
  Found bits();
  Found array();
  Found deque();
  Found list();
  Found forwardList();
  Found tree();
  Found hashed();
  Found tuple();
  Found optional();
  Found variant();
  Found unique();
  Found shared();
  Found adapter();
  Found atomic();

  std::optional<Spot> member(std::optional<Spot> In, StringRef Name) const;
  /// The first that there is: libraries differ.
  std::optional<Spot> anyMember(std::initializer_list<StringRef> Paths) const;
  std::optional<uint64_t> number(std::optional<Spot> At) const;
  std::optional<uint64_t> numberAt(uint64_t Addr, uint64_t Size) const;
  std::optional<uint64_t> pointerAt(uint64_t Addr) const {
    return numberAt(Addr, C.PointerBytes);
  }
  TypeRef argument(unsigned I) const { return argumentOf(T, I); }
  static TypeRef argumentOf(const Type &Of, unsigned I) {
    return Of.Argument ? Of.Argument(I) : nullptr;
  }
  Found textAt(uint64_t Addr, uint64_t Length) const;
  Found row(TypeRef Element, uint64_t Begin, uint64_t Count) const;
  Found inner(const std::optional<Spot> &S) const;
  void follow(std::optional<uint64_t> Next, uint64_t Value, TypeRef Is,
              LibraryValue &L) const;
  void descend(uint64_t Root, uint64_t Left, uint64_t Right, uint64_t Value,
               TypeRef Is, LibraryValue &L) const;

  const Type &T;
  const KnownBytes V;
  const PrinterContext &C;
  const unsigned Most;
  const Spot All;
};

} // namespace

/// Members of nearer bases and of nearer nameless members hide those of
/// others.
std::optional<Spot> Finder::member(std::optional<Spot> In,
                                   StringRef Name) const {
  if (!In || !In->Is)
    return std::nullopt;
  constexpr size_t MostRecords = 64;
  SmallVector<Spot, 16> Open{*In};
  for (size_t I = 0; I < Open.size() && I < MostRecords; ++I) {
    const Spot S = Open[I];
    if (S.Is->Kind != TypeKind::Record)
      continue;
    for (const Type::Member &M : S.Is->Members) {
      if (!M.Is || M.BitWidth)
        continue;
      Spot Its{M.Is, S.Inside, S.At + M.Offset / 8};
      if (!M.Base && Name == M.Name)
        return Its;
      if (M.Base || M.Name.empty())
        Open.push_back(std::move(Its));
    }
  }
  return std::nullopt;
}

std::optional<Spot>
Finder::anyMember(std::initializer_list<StringRef> Paths) const {
  for (StringRef Path : Paths) {
    std::optional<Spot> S = All;
    for (; S && !Path.empty(); Path = Path.split('.').second)
      S = member(S, Path.split('.').first);
    if (S)
      return S;
  }
  return std::nullopt;
}

static std::optional<uint64_t> numberOf(KnownBytes V, bool BigEndian) {
  if (!V.size() || V.size() > 8 || !V.all())
    return std::nullopt;
  uint64_t N = 0;
  for (size_t I = 0; I < V.size(); ++I)
    N |= uint64_t(V.Bytes[I]) << 8 * (BigEndian ? V.size() - 1 - I : I);
  return N;
}

std::optional<uint64_t> Finder::number(std::optional<Spot> S) const {
  if (!S)
    return std::nullopt;
  const uint64_t Size = S->Is->Size;
  if (!S->Inside)
    return numberAt(S->At, Size);
  if (S->At + Size > V.size())
    return std::nullopt;
  return numberOf(V.slice(S->At, Size), C.BigEndian);
}

std::optional<uint64_t> Finder::numberAt(uint64_t Addr, uint64_t Size) const {
  uint8_t Bytes[8], Known[8] = {};
  if (!C.Read || !Size || Size > 8 || Addr + Size < Addr)
    return std::nullopt;
  C.Read(Addr, MutableArrayRef(Bytes, Size), MutableArrayRef(Known, Size));
  return numberOf({ArrayRef(Bytes, Size), ArrayRef(Known, Size)}, C.BigEndian);
}

/// \p Element, \p Count times.
static TypeRef arrayOf(TypeRef Element, uint64_t Count) {
  auto A = std::make_shared<Type>();
  A->Kind = TypeKind::Array;
  A->Count = Count;
  A->Size = Count * Element->Size;
  A->Element = std::move(Element);
  return A;
}

Found Finder::row(TypeRef Element, uint64_t Begin, uint64_t Count) const {
  if (!Element || !Element->Size || Count > MostCount)
    return std::nullopt;
  constexpr uint64_t MostBytes = 1 << 16;
  const uint64_t Told = std::min<uint64_t>(
      {Count, Most, std::max<uint64_t>(1, MostBytes / Element->Size)});
  LibraryValue L;
  L.What = LibraryValue::Row;
  L.Count = Count;
  L.More = Told < Count;
  L.Parts.push_back({arrayOf(Element, Told), false, Begin});
  return L;
}

Found Finder::inner(const std::optional<Spot> &S) const {
  if (!S)
    return std::nullopt;
  LibraryValue L;
  L.Parts.push_back({S->Is, S->Inside, S->At});
  return L;
}

Found Finder::textAt(uint64_t Addr, uint64_t Length) const {
  TypeRef Unit = argument(0);
  if (!Unit || !C.Read || !Unit->Size || Length > MostCount)
    return std::nullopt;
  // A string of whatever is no text.
  if (Unit->Kind != TypeKind::Char)
    return row(Unit, Addr, Length);
  LibraryValue L;
  L.What = LibraryValue::Text;
  L.Count = Length;
  constexpr uint64_t MostUnits = 1000;
  const uint64_t Told = std::min(Length, MostUnits);
  L.More = Told < Length;
  L.Parts.push_back({arrayOf(Unit, Told), false, Addr});
  return L;
}

Found Finder::string() {
  if (auto P = number(member(member(All, "_M_dataplus"), "_M_p"))) {
    auto Length = member(All, "_M_string_length");
    // Before C++11 the length was in front of the text.
    auto N = Length ? number(Length) : pointerAt(*P - 3 * C.PointerBytes);
    return N && *P ? textAt(*P, *N) : std::nullopt;
  }
  const auto Long = anyMember({"__rep_.__l", "__r_.__value_.__l"}),
             Short = anyMember({"__rep_.__s", "__r_.__value_.__s"});
  if (!Long || !Short)
    return std::nullopt;
  // The bit that tells them apart is a bit-field.
  auto Bits = [&](const Spot &In, StringRef Name) -> std::optional<uint64_t> {
    SmallVector<Spot, 4> Open{In};
    for (size_t I = 0; I < Open.size(); ++I) {
      const Spot S = Open[I];
      for (const Type::Member &M : S.Is->Members) {
        if (M.Name.empty() && M.Is && !M.BitWidth)
          Open.push_back({M.Is, S.Inside, S.At + M.Offset / 8});
        if (M.Name != Name)
          continue;
        if (!M.BitWidth)
          return number(Spot{M.Is, S.Inside, S.At + M.Offset / 8});
        const FieldBytes F = fieldBytes(M, C.BigEndian);
        if (S.At + F.First + F.Size > V.size() || F.Size > 8)
          return std::nullopt;
        auto N = numberOf(V.slice(S.At + F.First, F.Size), C.BigEndian);
        if (!N)
          return std::nullopt;
        return *N >> F.Lo & maskTrailingOnes<uint64_t>(F.Width);
      }
    }
    return std::nullopt;
  };
  auto IsLong = Bits(*Short, "__is_long_");
  if (!IsLong)
    return std::nullopt;
  if (*IsLong) {
    auto P = number(member(Long, "__data_")),
         N = number(member(Long, "__size_"));
    return P && N && *P ? textAt(*P, *N) : std::nullopt;
  }
  auto Data = member(Short, "__data_");
  auto N = Bits(*Short, "__size_");
  TypeRef Unit = argument(0);
  if (!Data || !N || !Unit || !Unit->Size || *N * Unit->Size > Data->Is->Size)
    return std::nullopt;
  LibraryValue L;
  L.What = LibraryValue::Text;
  L.Count = *N;
  L.Parts.push_back({arrayOf(Unit, *N), true, Data->At});
  return L;
}

Found Finder::view() {
  auto P = number(anyMember({"_M_str", "__data_"})),
       N = number(anyMember({"_M_len", "__size_"}));
  if (!P || !N || (!*P && *N))
    return std::nullopt;
  return textAt(*P, *N);
}

Found Finder::vector() {
  TypeRef Element = argument(0);
  if (!Element)
    return std::nullopt;
  if (Element->Kind == TypeKind::Bool)
    return bits();
  auto Begin = number(anyMember({"_M_impl._M_start", "__begin_"})),
       End = number(anyMember({"_M_impl._M_finish", "__end_"})),
       Room = number(anyMember(
           {"_M_impl._M_end_of_storage", "__cap_", "__end_cap_.__value_"}));
  if (!Begin || !End || !Room || *Begin > *End || *End > *Room ||
      !Element->Size || (*End - *Begin) % Element->Size)
    return std::nullopt;
  return row(Element, *Begin, (*End - *Begin) / Element->Size);
}

Found Finder::bits() {
  auto Begin = number(anyMember({"_M_impl._M_start._M_p"})),
       From = number(anyMember({"_M_impl._M_start._M_offset"})),
       End = number(anyMember({"_M_impl._M_finish._M_p"})),
       To = number(anyMember({"_M_impl._M_finish._M_offset"}));
  const unsigned Word = C.PointerBytes;
  if (!Begin || !From || !End || !To || *Begin > *End || *From >= 8 * Word ||
      *To >= 8 * Word)
    return std::nullopt;
  const uint64_t First = *From, Last = (*End - *Begin) * 8 + *To;
  if (First > Last || Last - First > MostCount)
    return std::nullopt;
  LibraryValue L;
  L.What = LibraryValue::Bits;
  L.Count = Last - First;
  L.More = *L.Count > Most;
  for (uint64_t I = First; I < Last && I - First < Most; ++I) {
    auto N = pointerAt(*Begin + I / (8 * Word) * Word);
    L.Truths.push_back(N ? std::optional(bool(*N >> I % (8 * Word) & 1))
                         : std::nullopt);
  }
  return L;
}

Found Finder::array() {
  auto Elements = anyMember({"_M_elems", "__elems_"});
  if (Elements && Elements->Is->Kind == TypeKind::Array)
    return inner(Elements);
  return std::nullopt;
}

Found Finder::deque() {
  TypeRef Element = argument(0);
  if (!Element || !Element->Size)
    return std::nullopt;
  auto Of = [&](StringRef Iterator, StringRef Name) {
    return number(member(member(member(All, "_M_impl"), Iterator), Name));
  };
  auto First = Of("_M_start", "_M_first"), Begin = Of("_M_start", "_M_cur"),
       Node = Of("_M_start", "_M_node"),
       LastFirst = Of("_M_finish", "_M_first"), End = Of("_M_finish", "_M_cur"),
       LastNode = Of("_M_finish", "_M_node");
  if (!First || !Begin || !Node || !LastFirst || !End || !LastNode ||
      *First > *Begin || *LastFirst > *End || *Node > *LastNode)
    return std::nullopt;
  constexpr uint64_t NodeBytes = 512;
  const uint64_t Each = Element->Size,
                 Fit = Each < NodeBytes ? NodeBytes / Each : 1,
                 Nodes = (*LastNode - *Node) / C.PointerBytes,
                 Skip = (*Begin - *First) / Each,
                 Behind = Nodes * Fit + (*End - *LastFirst) / Each;
  if (Skip > Behind || Behind > MostCount)
    return std::nullopt;
  LibraryValue L;
  L.What = LibraryValue::List;
  L.Count = Behind - Skip;
  for (uint64_t I = Skip; I < Behind; ++I) {
    L.More = L.Parts.size() == Most;
    if (L.More)
      break;
    auto Its = pointerAt(*Node + I / Fit * C.PointerBytes);
    if (!Its) {
      L.More = L.Lost = true;
      break;
    }
    L.Parts.push_back({Element, false, *Its + I % Fit * Each});
  }
  return L;
}

/// Along a chain of nodes, each of which begins with where the next one is,
/// from \p Next on: so many as there are, or up to the null behind the last.
void Finder::follow(std::optional<uint64_t> Next, uint64_t Value, TypeRef Is,
                    LibraryValue &L) const {
  while (L.Count ? L.Parts.size() < *L.Count : !Next || *Next) {
    L.Lost = !Next || !*Next;
    L.More = L.Lost || L.Parts.size() == Most;
    if (L.More)
      return;
    L.Parts.push_back({Is, false, *Next + Value});
    Next = pointerAt(*Next);
  }
}

Found Finder::list() {
  TypeRef Element = argument(0);
  auto Node = anyMember({"_M_impl._M_node"});
  auto Next = number(member(Node, "_M_next")),
       Count = number(member(Node, "_M_size"));
  if (!Element || !Next || !Count || *Count > MostCount)
    return std::nullopt;
  LibraryValue L;
  L.What = LibraryValue::List;
  L.Count = *Count;
  follow(Next, alignTo(2 * C.PointerBytes, alignmentOf(*Element)), Element, L);
  return L;
}

Found Finder::forwardList() {
  TypeRef Element = argument(0);
  auto Next = number(anyMember({"_M_impl._M_head._M_next"}));
  if (!Element || !Next)
    return std::nullopt;
  LibraryValue L;
  L.What = LibraryValue::List;
  follow(Next, alignTo(C.PointerBytes, alignmentOf(*Element)), Element, L);
  if (!L.More)
    L.Count = L.Parts.size();
  return L;
}

/// In order, from the node \p Root on; the numbers are offsets in a node.
void Finder::descend(uint64_t Root, uint64_t Left, uint64_t Right,
                     uint64_t Value, TypeRef Is, LibraryValue &L) const {
  SmallVector<uint64_t, 32> Open;
  std::optional<uint64_t> Node = Root;
  while (L.Parts.size() < *L.Count) {
    while (Node && *Node && Open.size() < MostTreeDepth) {
      Open.push_back(*Node);
      Node = pointerAt(*Node + Left);
    }
    L.Lost = !Node || *Node || Open.empty();
    L.More = L.Lost || L.Parts.size() == Most;
    if (L.More)
      return;
    const uint64_t Next = Open.pop_back_val();
    L.Parts.push_back({Is, false, Next + Value});
    Node = pointerAt(Next + Right);
  }
}

Found Finder::tree() {
  const auto Tree = anyMember({"_M_t"});
  TypeRef Element = Tree ? argumentOf(*Tree->Is, 1) : nullptr;
  const auto Header = member(member(Tree, "_M_impl"), "_M_header");
  auto Count = number(member(member(Tree, "_M_impl"), "_M_node_count")),
       Root = number(member(Header, "_M_parent"));
  const auto Left = member(Header, "_M_left"),
             Right = member(Header, "_M_right");
  if (!Element || !Header || !Count || !Root || !Left || !Right ||
      *Count > MostCount || bool(*Count) != bool(*Root))
    return std::nullopt;
  LibraryValue L;
  L.What = T.Library.find("map") == std::string::npos ? LibraryValue::List
                                                      : LibraryValue::Map;
  L.Count = *Count;
  descend(*Root, Left->At - Header->At, Right->At - Header->At,
          alignTo(Header->Is->Size, alignmentOf(*Element)), Element, L);
  return L;
}

Found Finder::hashed() {
  const auto Table = anyMember({"_M_h"});
  TypeRef Element = Table ? argumentOf(*Table->Is, 1) : nullptr;
  auto Count = number(member(Table, "_M_element_count")),
       Next = number(member(member(Table, "_M_before_begin"), "_M_nxt"));
  if (!Element || !Count || !Next || *Count > MostCount ||
      bool(*Count) != bool(*Next))
    return std::nullopt;
  LibraryValue L;
  L.What = T.Library.find("map") == std::string::npos ? LibraryValue::List
                                                      : LibraryValue::Map;
  L.Count = *Count;
  follow(Next, alignTo(C.PointerBytes, alignmentOf(*Element)), Element, L);
  return L;
}

Found Finder::tuple() {
  LibraryValue L;
  L.What = LibraryValue::Tuple;
  Spot Level = All;
  for (unsigned I = 0;; ++I) {
    const std::string Rest = "_Tuple_impl<" + std::to_string(I),
                      Head = "_Head_base<" + std::to_string(I);
    auto Base = [&](StringRef Name) -> std::optional<Spot> {
      for (const Type::Member &M : Level.Is->Members) {
        StringRef Its = M.Name;
        Its.consume_front("std::");
        // "0" is also written "0ul".
        if (M.Base && M.Is && Its.consume_front(Name) && !Its.empty() &&
            !isDigit(Its.front()))
          return Spot{M.Is, true, Level.At + M.Offset / 8};
      }
      return std::nullopt;
    };
    auto Next = Base(Rest);
    if (!Next)
      break;
    Level = *Next;
    auto Holds = Base(Head);
    if (!Holds)
      return std::nullopt;
    if (auto M = member(Holds, "_M_head_impl"))
      Holds = M;
    L.Parts.push_back({Holds->Is, true, Holds->At});
  }
  // That of another library has other bases.
  if (L.Parts.empty() && !T.Members.empty())
    return std::nullopt;
  L.Count = L.Parts.size();
  return L;
}

Found Finder::optional() {
  const auto Payload = anyMember({"_M_payload", "__engaged_"});
  const auto Engaged = member(Payload, "_M_engaged");
  auto Has = number(Engaged ? Engaged : Payload);
  const auto Value = anyMember({"_M_payload._M_payload._M_value", "__val_"});
  if (!Has || *Has > 1 || !Value)
    return std::nullopt;
  LibraryValue L;
  L.What = LibraryValue::Optional;
  L.Count = *Has;
  if (*Has)
    L.Parts.push_back({Value->Is, true, Value->At});
  return L;
}

Found Finder::variant() {
  const auto Index = anyMember({"_M_index"}), Values = anyMember({"_M_u"});
  auto N = number(Index);
  if (!N || !Values)
    return std::nullopt;
  LibraryValue L;
  L.What = LibraryValue::Variant;
  if (*N == maskTrailingOnes<uint64_t>(unsigned(8 * Index->Is->Size)))
    return L;
  TypeRef Is = argument(unsigned(std::min<uint64_t>(*N, ~0u)));
  if (!Is)
    return std::nullopt;
  L.Number = *N;
  L.Parts.push_back({Is, true, Values->At});
  return L;
}

Found Finder::unique() {
  // A tuple of the pointer and its deleter.
  for (auto S = anyMember({"_M_t", "__ptr_"}); S; S = member(S, "_M_t")) {
    if (S->Is->isScalar())
      return inner(S);
    if (auto Head = member(S, "_M_head_impl"))
      return inner(Head);
    if (auto Value = member(S, "__value_"))
      return inner(Value);
  }
  return std::nullopt;
}

Found Finder::shared() {
  auto Pointer = anyMember({"_M_ptr", "__ptr_"});
  auto Counts = number(anyMember({"_M_refcount._M_pi"}));
  if (!Pointer || !Pointer->Is->isScalar() || !Counts)
    return std::nullopt;
  LibraryValue L;
  L.What = LibraryValue::Shared;
  L.Parts.push_back({Pointer->Is, true, Pointer->At});
  if (!*Counts)
    return L;
  // Behind the pointer to virtual functions, two ints. All owners together are
  // one who looks on.
  L.Number = numberAt(*Counts + C.PointerBytes, 4);
  L.Weak = numberAt(*Counts + C.PointerBytes + 4, 4);
  if (L.Weak && L.Number && *L.Number && *L.Weak)
    --*L.Weak;
  return L;
}

Found Finder::adapter() { return inner(anyMember({"c"})); }

Found Finder::atomic() {
  auto S = anyMember(
      {"_M_i", "_M_b._M_p", "_M_base._M_i", "_M_fp", "__a_.__a_value"});
  return S && !S->Is->isScalar() && S->Is->Kind != TypeKind::Record
             ? std::nullopt
             : inner(S);
}

Finder::Walk Finder::walkOf(StringRef Library) {
  return StringSwitch<Walk>(Library)
      .Case("basic_string", &Finder::string)
      .Case("basic_string_view", &Finder::view)
      .Case("vector", &Finder::vector)
      .Case("array", &Finder::array)
      .Case("deque", &Finder::deque)
      .Case("list", &Finder::list)
      .Case("forward_list", &Finder::forwardList)
      .Cases({"map", "multimap", "set", "multiset"}, &Finder::tree)
      .Cases({"unordered_map", "unordered_multimap", "unordered_set",
              "unordered_multiset"},
             &Finder::hashed)
      .Case("tuple", &Finder::tuple)
      .Case("optional", &Finder::optional)
      .Case("variant", &Finder::variant)
      .Case("unique_ptr", &Finder::unique)
      .Cases({"shared_ptr", "weak_ptr"}, &Finder::shared)
      .Cases({"queue", "stack", "priority_queue"}, &Finder::adapter)
      .Case("atomic", &Finder::atomic)
      .Default(nullptr);
}

Found Finder::find() {
  const Walk W = walkOf(T.Library);
  if (!W || T.Kind != TypeKind::Record)
    return std::nullopt;
  Found L = (this->*W)();
  // What is said to be inside is.
  if (L)
    for (const LibraryValue::Part &P : L->Parts)
      if (!P.Is || (P.Inside && P.At + P.Is->Size > V.size()))
        return std::nullopt;
  return L;
}

Found libraryValue(const Type &T, KnownBytes V, const PrinterContext &C,
                   unsigned Most) {
  if (T.Library.empty() || !C.Read)
    return std::nullopt;
  return Finder(T, V, C, Most).find();
}

} // namespace rw
