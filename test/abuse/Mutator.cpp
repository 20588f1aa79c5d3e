//===- Mutator.cpp - Changes what a file says, not its checksums ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "core/store/Format.h"
#include "test/unit/store/Reseal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace rw;

namespace {

/// A part of a file.
struct Part {
  uint64_t Offset = 0, Bytes = 0;
  std::string Name;
};

class Mutator {
public:
  Mutator(StringRef Good, uint64_t Seed) : R(Seed) { M.Bytes = Good.str(); }

  Rng R;
  Mutant M;

  uint64_t size() const { return M.Bytes.size(); }
  template <typename T> T get(uint64_t At) const {
    T V;
    std::memcpy(&V, &M.Bytes[At], sizeof(V));
    return V;
  }
  template <typename T> void set(uint64_t At, T V) {
    std::memcpy(&M.Bytes[At], &V, sizeof(V));
  }
  void say(const Twine &What) {
    M.What += (M.What.empty() ? "" : ", ") + What.str();
  }
  bool inside(uint64_t Offset, uint64_t Bytes) const {
    return Offset <= size() && Bytes <= size() - Offset;
  }

  /// A number in the place of \p Old that code is likely to stumble over.
  uint64_t oddNumber(uint64_t Old) {
    switch (R.below(14)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return ~uint64_t(0);
    case 3:
      return Old + 1;
    case 4:
      return Old - 1;
    case 5:
      return uint64_t(1) << R.below(64);
    case 6:
      return (uint64_t(1) << R.below(64)) - 1;
    case 7:
      return size();
    case 8:
      return size() - 8;
    case 9:
      return 0x7fffffff;
    case 10:
      return 0x80000000;
    case 11:
      return Old ^ uint64_t(1) << R.below(64);
    case 12:
      return R.next();
    default:
      return R.below(size() + 1);
    }
  }

  void change(const Part &P) {
    if (!P.Bytes)
      return;
    say(P.Name);
    for (uint64_t Times = R.chance(0.25) ? R.between(1, 40) : R.between(1, 3);
         Times; --Times)
      changeOnce(P.Offset, P.Bytes);
  }

  /// Puts other digits and brackets into JSON; its length stays.
  void changeJson(const Part &P) {
    say(P.Name + " (JSON)");
    for (uint64_t Times = R.between(1, 3); Times; --Times) {
      uint64_t At = P.Offset + R.below(P.Bytes), End = P.Offset + P.Bytes;
      while (At < End && !isDigit(M.Bytes[At]))
        ++At;
      if (At == End)
        continue;
      const uint64_t What = R.below(4);
      if (What == 0)
        M.Bytes[At] = StringRef("9-1e0.\"[{tn\x1b")[R.below(12)];
      else if (What == 1)
        M.Bytes[At] = char('0' + R.below(10));
      else
        for (; At < End && isDigit(M.Bytes[At]); ++At)
          M.Bytes[At] = What == 2 ? '9' : char('0' + R.below(10));
    }
  }

private:
  static bool isDigit(char C) { return C >= '0' && C <= '9'; }

  template <typename T> void oddNumberAt(uint64_t Offset, uint64_t Bytes) {
    if (Bytes < sizeof(T))
      return;
    uint64_t At = Offset + R.below(Bytes / sizeof(T)) * sizeof(T);
    set(At, T(oddNumber(get<T>(At))));
  }

  void changeOnce(uint64_t Offset, uint64_t Bytes) {
    const uint64_t At = Offset + R.below(Bytes);
    switch (R.below(6)) {
    case 0:
      M.Bytes[At] ^= char(1 << R.below(8));
      break;
    case 1:
      M.Bytes[At] = char(R.next());
      break;
    case 2:
      oddNumberAt<uint32_t>(Offset, Bytes);
      break;
    case 3:
      oddNumberAt<uint64_t>(Offset, Bytes);
      break;
    case 4: {
      static constexpr uint8_t Fill[] = {0, 0x80, 0xff};
      uint64_t N = R.between(1, std::min<uint64_t>(64, Offset + Bytes - At));
      std::memset(&M.Bytes[At], Fill[R.below(3)], N);
      break;
    }
    default: {
      uint64_t From = Offset + R.below(Bytes);
      uint64_t N = std::min<uint64_t>(R.between(1, 32),
                                      Offset + Bytes - std::max(At, From));
      std::memmove(&M.Bytes[At], &M.Bytes[From], N);
    }
    }
  }
};

/// Mutates a file of sections.
class SectionMutator : public Mutator {
protected:
  SectionMutator(StringRef Good, uint64_t Seed) : Mutator(Good, Seed) {
    H = get<format::FileHeader>(0);
  }

  format::FileHeader H;

  uint64_t numSections() const { return H.TocBytes / sizeof(format::TocEntry); }
  uint64_t entryAt(uint64_t I) const {
    return H.TocOffset + I * sizeof(format::TocEntry);
  }
  format::TocEntry entry(uint64_t I) const {
    return get<format::TocEntry>(entryAt(I));
  }
  Part part(const format::TocEntry &T) const {
    return {T.Offset, T.Bytes,
            StringRef(T.Name, strnlen(T.Name, sizeof(T.Name))).str()};
  }
  Part section(StringRef Name) {
    for (uint64_t I = 0; I < numSections(); ++I)
      if (Part P = part(entry(I)); P.Name == Name && P.Bytes)
        return P;
    return anySection();
  }
  Part anySection() {
    for (;;)
      if (Part P = part(entry(R.below(numSections()))); P.Bytes)
        return P;
  }

  void changeDirectory() {
    const uint64_t I = R.below(numSections()), K = R.below(numSections());
    format::TocEntry T = entry(I), Other = entry(K);
    say("directory entry of " + part(T).Name);
    switch (R.below(8)) {
    case 0:
      T.Offset = oddNumber(T.Offset);
      break;
    case 1:
      T.Bytes = oddNumber(T.Bytes);
      break;
    case 2:
      T.Offset = Other.Offset;
      T.Bytes = Other.Bytes;
      break;
    case 3:
      std::swap(T.Offset, Other.Offset);
      std::swap(T.Bytes, Other.Bytes);
      set(entryAt(K), Other);
      break;
    case 4:
      T.Bytes = 0;
      break;
    case 5:
      T.Offset = Other.Offset & ~uint64_t(7);
      T.Bytes = std::min(T.Bytes, size() - T.Offset);
      break;
    case 6:
      std::memcpy(T.Name, Other.Name, sizeof(T.Name));
      break;
    default:
      T.Bytes += 8;
    }
    set(entryAt(I), T);
  }

  void cutOff() {
    say("cut off");
    M.Bytes.resize(R.chance(0.5) ? R.below(size()) : size() - 1 - R.below(64));
  }
};

class StoreMutator : public SectionMutator {
public:
  StoreMutator(StringRef Good, uint64_t Seed) : SectionMutator(Good, Seed) {}

  void run() {
    const uint64_t What = R.below(20);
    if (What == 0) {
      change({0, size(), "anything"});
      return; // the checksums stay wrong
    }
    if (What == 1) {
      cutOff();
      if (R.chance(0.5))
        reseal(M.Bytes);
      return;
    }
    if (What == 2) {
      say("place of the directory");
      H.TocOffset = oddNumber(H.TocOffset);
      if (R.chance(0.5))
        H.TocBytes = oddNumber(H.TocBytes);
      set(0, H);
    } else if (What <= 4) {
      for (uint64_t Times = R.between(1, 3); Times; --Times)
        changeDirectory();
    } else if (What <= 9) {
      changeSegment();
    } else {
      Part P = What == 10   ? section("meta")
               : What == 11 ? section("segments")
               : What == 12 ? section("calls")
                            : anySection();
      if (P.Name == "meta" && R.chance(0.66))
        changeJson(P);
      else
        change(P);
    }
    reseal(M.Bytes);
  }

private:
  void changeSegment() {
    Part Table = section("segments");
    const uint64_t N = Table.Bytes / sizeof(format::Segment);
    if (Table.Name != "segments" || !N)
      return change(Table);
    auto S = get<format::Segment>(Table.Offset +
                                  R.below(N) * sizeof(format::Segment));
    if (R.chance(0.33))
      change({S.Offset, std::min<uint64_t>(S.Bytes, 256), "segment's header"});
    else
      change({S.Offset, S.Bytes, "segment"});
  }
};

class LayersMutator : public SectionMutator {
public:
  LayersMutator(StringRef Good, uint64_t Seed) : SectionMutator(Good, Seed) {}

  void run() {
    const uint64_t What = R.below(10);
    if (What == 0) {
      change({0, size(), "anything"});
      if (R.chance(0.5))
        return; // the checksums stay wrong
    } else if (What == 1) {
      cutOff();
    } else if (What == 2) {
      changeDirectory();
    } else {
      for (uint64_t Times = R.chance(0.7) ? 1 : 3; Times; --Times) {
        Part P = anySection();
        if (P.Name == "meta" && R.chance(0.66)) {
          changeJson(P);
          continue;
        }
        // Sizes and directories of arrays come first.
        if (R.chance(0.5))
          P.Bytes = std::min<uint64_t>(P.Bytes, 32);
        change(P);
      }
    }
    reseal(M.Bytes);
  }
};

class ImageMutator : public Mutator {
public:
  ImageMutator(StringRef Good, uint64_t Seed) : Mutator(Good, Seed) {
    auto Elf = cantFail(object::ObjectFile::createELFObjectFile(
        MemoryBufferRef(Good, "good image")));
    for (const object::SectionRef &S : Elf->sections()) {
      const StringRef Name = cantFail(S.getName());
      const auto Bytes = cantFail(S.getContents());
      if (Bytes.empty() ||
          object::ELFSectionRef(S).getType() == ELF::SHT_NOBITS)
        continue;
      const bool Debug = Name.starts_with(".debug");
      (Debug ? Dwarf : Others)
          .push_back(
              {uint64_t(Bytes.data() - Good.data()), Bytes.size(), Name.str()});
    }
    if (Elf->getBytesInAddress() == 8)
      findHeaders<object::ELF64LE>();
    else
      findHeaders<object::ELF32LE>();
  }

  void run() {
    const uint64_t What = R.below(20);
    if (What == 0) {
      say("cut off");
      M.Bytes.resize(R.below(size()));
    } else if (What == 1) {
      change({0, Headers.front().Bytes, "ELF header"});
    } else if (What == 2) {
      change(R.pick(Headers));
    } else if (What == 3) {
      change(R.pick(Others));
    } else if (What == 4 && !Dwarf.empty()) {
      // As if it ended there.
      const Part &P = R.pick(Dwarf);
      const uint64_t From = R.below(P.Bytes);
      say(P.Name + " zero from 0x" + utohexstr(From, true));
      std::memset(&M.Bytes[P.Offset + From], 0, P.Bytes - From);
    } else {
      changeSlightly(R.pick(Dwarf.empty() ? Others : Dwarf));
    }
  }

private:
  std::vector<Part> Dwarf, Others, Headers;

  /// The header of the file, and those of its sections and segments.
  template <typename ELFT> void findHeaders() {
    const auto H = get<typename ELFT::Ehdr>(0);
    Headers = {{0, sizeof(H), "ELF header"}};
    for (unsigned I = 0; I < H.e_shnum; ++I)
      Headers.push_back({H.e_shoff + I * H.e_shentsize, H.e_shentsize,
                         "header of section " + std::to_string(I)});
    for (unsigned I = 0; I < H.e_phnum; ++I)
      Headers.push_back({H.e_phoff + I * H.e_phentsize, H.e_phentsize,
                         "header of segment " + std::to_string(I)});
  }

  /// What is left is understood, so that much is asked of it.
  void changeSlightly(const Part &P) {
    if (R.chance(0.2))
      return change(P);
    for (uint64_t Times = R.between(1, 3); Times; --Times) {
      const uint64_t At = R.below(P.Bytes);
      if (R.chance(0.2) && P.Bytes >= 4) {
        // Something that refers to itself, or to what it is in.
        const uint64_t Ref = std::min(At, P.Bytes - 4);
        set(P.Offset + Ref, uint32_t(Ref - R.between(1, 16)));
        say(P.Name + "+0x" + utohexstr(Ref, true) + " refers to before it");
        continue;
      }
      const uint64_t N =
          R.chance(0.7) ? 1
                        : std::min<uint64_t>(R.between(2, 12), P.Bytes - At);
      const uint64_t With = R.below(5);
      std::string New;
      for (uint64_t I = 0; I < N; ++I) {
        char &C = M.Bytes[P.Offset + At + I];
        C = With == 0   ? 0
            : With == 1 ? char(0xff)
            : With == 2 ? char(C + 1)
            : With == 3 ? char(C ^ 1 << R.below(8))
                        : char(R.next());
        New += utohexstr(uint8_t(C), true, 2);
      }
      say(P.Name + "+0x" + utohexstr(At, true) + " = " + New);
    }
  }
};

} // namespace

Mutant rw::mutateStore(StringRef Store, uint64_t Seed) {
  StoreMutator Of(Store, Seed);
  Of.run();
  return std::move(Of.M);
}

Mutant rw::mutateLayers(StringRef Layers, uint64_t Seed) {
  LayersMutator Of(Layers, Seed);
  Of.run();
  return std::move(Of.M);
}

Mutant rw::mutateImage(StringRef Elf, uint64_t Seed) {
  ImageMutator Of(Elf, Seed);
  Of.run();
  return std::move(Of.M);
}
