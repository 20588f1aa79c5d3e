//===- ParserNames.cpp - CPUs and registers by name -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "core/formats/tarmac/LineParser.h"
#include "core/support/Golden.h"

namespace rw::tarmac {

void LineParser::setCpu(uint8_t Number) {
  Cur = Number;
  State = Number == InheritedCpu ? nullptr : &Out->Cpus[Number];
}

/// Makes the named CPU that of this line; it becomes a thread by that. False
/// if there are too many.
bool LineParser::useCpu(llvm::StringRef Name) {
  for (unsigned I = 0, E = Out->CpuNames.size(); I < E; ++I)
    if (Out->CpuNames[I] == Name) {
      setCpu(uint8_t(I));
      return true;
    }
  if (Out->CpuNames.size() >= MaxThreads)
    return malformed("more than 255 CPUs");
  Out->CpuNames.push_back(Name.str());
  Out->Cpus.emplace_back();
  NamedCpus |= !Name.empty();
  setCpu(uint8_t(Out->CpuNames.size() - 1));
  return true;
}

/// If one of the CPUs' names stands at \p Q, makes it the current one and moves
/// \p Q behind it.
bool LineParser::matchCpu(const char *&Q) {
  unsigned First = Cur == InheritedCpu ? 0 : Cur;
  unsigned N = Out->CpuNames.size();
  for (unsigned I = 0; I < N; ++I) {
    unsigned Number = First + I < N ? First + I : First + I - N;
    const std::string &Name = Out->CpuNames[Number];
    size_t L = Name.size();
    if (L && size_t(End - Q) > L && std::memcmp(Q, Name.data(), L) == 0 &&
        Q[L] == ' ') {
      if (Number != Cur)
        setCpu(uint8_t(Number));
      Q += L + 1;
      return true;
    }
  }
  return false;
}

uint32_t LineParser::localName(llvm::StringRef Name, unsigned Lanes) {
  auto [It, New] =
      LocalByName.try_emplace(Name.lower(), uint32_t(LocalNames.size()));
  if (New)
    LocalNames.emplace_back();
  LocalName &L = LocalNames[It->second];
  // The register is called as the first line calls it that tells its value, not
  // as a malformed line of some chunk that happened to be parsed here.
  if (New || L.Epoch != Epoch) {
    L.Name = Name.str();
    L.Lanes = uint16_t(Lanes);
  }
  return It->second;
}

uint16_t LineParser::laneOf(uint32_t Local, unsigned Size) {
  LocalName &N = LocalNames[Local];
  if (N.Epoch != Epoch) {
    N.Epoch = Epoch;
    if (N.Lane < FirstProvisional && N.Lane != 0) {
      // Final: it never changes.
    } else if (auto It = Snapshot->Lanes.find(llvm::StringRef(N.Name).lower());
               It != Snapshot->Lanes.end())
      N.Lane = It->second;
    else {
      if (ProvisionalLanes + N.Lanes > 0xffff - FirstProvisional) {
        N.Epoch = 0;
        malformed("too many different register names");
        return 0;
      }
      N.Lane = uint16_t(FirstProvisional + ProvisionalLanes);
      ProvisionalLanes = uint16_t(ProvisionalLanes + N.Lanes);
      Out->NewNames.push_back({N.Name, N.Lane, N.Lanes});
    }
  }
  if (Size > N.Size) {
    N.Size = uint16_t(Size);
    Out->NewSizes.push_back({N.Name, uint16_t(Size)});
  }
  return N.Lane;
}

const LineParser::KnownName &LineParser::lookUp(llvm::StringRef Name,
                                                llvm::StringRef Bank) {
  llvm::SmallString<32> Key(Name);
  if (!Bank.empty()) {
    Key += '(';
    Key += Bank;
  }
  auto [It, New] = NameCache.try_emplace(Key);
  KnownName &K = It->second;
  if (!New)
    return K;
  K.Desc = classifyRegister(Name, Bank);
  switch (K.Desc.Kind) {
  case RegKind::Named:
    K.Local = localName(Name, 1);
    break;
  case RegKind::P:
    K.Local = localName(Name.lower(), 4);
    break;
  case RegKind::Banked:
    // A trace that says r13_svc has users who do so, too.
    if (Bank.empty() && !Name.equals_insensitive(bankName(K.Desc.Num)))
      Out->NewAliases.push_back({Name.str(), bankName(K.Desc.Num).str()});
    break;
  default:
    break;
  }
  return K;
}

/// The name of \p Length (at most 16) characters at \p P, if it was seen
/// before.
const LineParser::KnownName *LineParser::fastLookUp(const char *P,
                                                    unsigned Length) {
  uint64_t K0 = load8(P) & firstBytes(Length);
  uint64_t K1 = Length > 8 ? load8(P + 8) & firstBytes(Length - 8) : 0;
  uint64_t Hash = golden(K0 ^ golden(K1));
  QuickName &Q = Quick[Hash >> 56];
  if (Q.Known && Q.K0 == K0 && Q.K1 == K1)
    return Q.Known;
  auto It = NameCache.find(llvm::StringRef(P, Length));
  if (It == NameCache.end())
    return nullptr;
  Q = {K0, K1, &It->second};
  return Q.Known;
}

} // namespace rw::tarmac
