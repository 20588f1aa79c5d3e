//===- QtraceParser.cpp - Takes Qtrace files apart ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCInsn.h"
#include "core/formats/qtrace/QtraceReader.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;

namespace rw::qtrace {

namespace {
constexpr size_t BufferSize = 256 * 1024;
/// What is asked to be available before a record, so that the parts need not
/// ask: more than all payloads of fixed size.
constexpr size_t Ahead = 2048;
} // namespace

QtraceParser::QtraceParser(ByteSource Source)
    : Source(std::move(Source)), Buffer(new uint8_t[BufferSize]) {}
QtraceParser::~QtraceParser() = default;

Error QtraceParser::fail(uint64_t Offset, const Twine &What) const {
  return createStringError(std::errc::invalid_argument, "at byte %llu: %s",
                           (unsigned long long)Offset, What.str().c_str());
}

Expected<bool> QtraceParser::need(size_t N) {
  while (End - At < N && !Eof) {
    std::memmove(&Buffer[0], &Buffer[At], End - At);
    Base += At;
    End -= At;
    At = 0;
    Expected<size_t> Got = Source(&Buffer[End], BufferSize - End);
    if (!Got)
      return Got.takeError();
    Eof = *Got == 0;
    End += *Got;
  }
  return End - At >= N;
}

Error QtraceParser::check(size_t N) {
  Expected<bool> There = need(N);
  if (!There)
    return There.takeError();
  if (*There)
    return Error::success();
  return fail(offset(), formatv("the file ends inside a record: {0} bytes "
                                "expected, {1} left",
                                N, End - At));
}

template <typename T> T QtraceParser::take() {
  T V = support::endian::read<T>(&Buffer[At], endianness::big);
  At += sizeof(T);
  return V;
}

Error QtraceParser::takeRadix(PlaceInfo &P, Translation Host,
                              Translation Guest) {
  P.HasWalk = false;
  if (Host != Translation::Radix)
    return Error::success();
  ppc::RadixWalk &W = P.Walk;
  W = ppc::RadixWalk();
  P.HasWalk = true;
  if (Guest != Translation::Radix) {
    if (Error E = check(32))
      return E;
    W.K = Guest == Translation::Real ? ppc::RadixWalk::Kind::GuestReal
                                     : ppc::RadixWalk::Kind::Host;
    W.NumWalks = 1;
    for (uint64_t &Pte : W.HostPte[0]) {
      Pte = take<uint64_t>();
      W.NumPtes += Pte != 0;
    }
    return Error::success();
  }
  if (Error E = check(2))
    return E;
  uint64_t Offset = offset();
  unsigned Ptes = take<uint8_t>(), Walks = take<uint8_t>();
  // A block of no size is one without a walk.
  if (!Ptes && !Walks) {
    P.HasWalk = false;
    return Error::success();
  }
  if (!Walks || Ptes > W.MaxPtes || Walks > W.MaxWalks)
    return fail(Offset, formatv("a radix block of {0} walks of {1} entries; at "
                                "most {2} of {3} are possible",
                                Walks, Ptes, W.MaxWalks + 0, W.MaxPtes + 0));
  if (Error E = check(8 * (Ptes * Walks + 2 * Walks - 1)))
    return E;
  W.NumPtes = uint8_t(Ptes);
  W.NumWalks = uint8_t(Walks);
  for (unsigned I = 0; I < Walks; ++I)
    for (unsigned J = 0; J < Ptes; ++J)
      W.HostPte[I][J] = take<uint64_t>();
  for (unsigned I = 0; I + 1 < Walks; ++I)
    W.HostReal[I] = take<uint64_t>();
  for (unsigned I = 0; I < Walks; ++I)
    W.GuestReal[I] = take<uint64_t>();
  return Error::success();
}

Error QtraceParser::takePlace(PlaceInfo &P, uint16_t Flags3, Role Host,
                              Role Guest, bool Ext) {
  P.HasWalk = false;
  if (Ext)
    if (Error E =
            takeRadix(P, translation(Flags3, Host), translation(Flags3, Guest)))
      return E;
  if (Error E = check(4))
    return E;
  P.Rpn = take<uint32_t>();
  return Error::success();
}

Error QtraceParser::takeHeader() {
  uint64_t Offset = offset();
  if (Error E = check(10))
    return E;
  take<uint32_t>();
  uint16_t Flags = take<uint16_t>(), Flags2 = take<uint16_t>();
  if (Flags != FlagExt || (Flags2 & ~Flag2Ext) != Flag2Header)
    return fail(Offset,
                formatv("opcode 0 must begin a header (flags 0001, 0002), but "
                        "the flags are {0:x-4}, {1:x-4}",
                        Flags, Flags2));
  uint16_t Flags3 = Flags2 & Flag2Ext ? take<uint16_t>() : 0;
  if (Error E = check(2))
    return E;
  uint16_t H = take<uint16_t>();
  if (H & HeaderUnknown)
    return fail(Offset, formatv("unknown header flags {0:x-4}", H));
  if (H & HeaderMagic) {
    if (Error E = check(4))
      return E;
    take<uint32_t>();
  }
  if (H & HeaderVersion) {
    if (Error E = check(4))
      return E;
    FileVersion = take<uint32_t>();
  }
  if (H & HeaderIar) {
    if (Error E = check(8))
      return E;
    Iar = take<uint64_t>();
    HaveIar = true;
  }
  if (H & HeaderVsid) {
    if (Error E = check(7))
      return E;
    At += 7;
  }
  Place = PlaceInfo();
  if (H & HeaderRpn)
    if (Error E = takePlace(Place, Flags3, Role::HostInsn, Role::GuestInsn,
                            Flags2 & Flag2Ext))
      return E;
  PlaceEA = Iar;
  if (H & HeaderPageShift) {
    if (Error E = check(1))
      return E;
    Place.PageShift = take<uint8_t>();
  }
  if (H & HeaderGuestShift) {
    if (Error E = check(1))
      return E;
    Place.GuestShift = take<uint8_t>();
  }
  if (Flags3 & Flag3Ptcr) {
    if (Error E = check(8))
      return E;
    take<uint64_t>();
  }
  if (Flags3 & Flag3Lpid) {
    if (Error E = check(8))
      return E;
    Lpid = take<uint64_t>();
  }
  if (Flags3 & Flag3Pid) {
    if (Error E = check(4))
      return E;
    Pid = take<uint32_t>();
  }
  if (H & HeaderComment) {
    if (Error E = check(2))
      return E;
    unsigned Length = take<uint16_t>();
    if (Error E = check(Length))
      return E;
    Comment.assign(reinterpret_cast<const char *>(&Buffer[At]), Length);
    At += Length;
  }
  if (Place.PageShift.value_or(0) > 60)
    return fail(Offset,
                formatv("a page size of 2^{0}", unsigned(*Place.PageShift)));
  return Error::success();
}

Error QtraceParser::takeRegisters(ReadInsn &I) {
  bool Vsx = !FileVersion || *FileVersion >= 0x07000000;
  unsigned Count[10] = {};
  if (Error E = check(Vsx ? 10 : 8))
    return E;
  for (unsigned N = 0; N < 10; ++N)
    if (Vsx || N % 5 != 3)
      Count[N] = take<uint8_t>();
  using File = RegisterValue::File;
  for (unsigned N = 0; N < 10; ++N) {
    File Which = File(N % 5);
    bool Wide = Which == File::Vmx || Which == File::Vsx;
    bool ShortIndex = Which == File::Gpr || Which == File::Fpr;
    if (Error E = check(Count[N] * (Wide ? 18u : ShortIndex ? 9u : 10u)))
      return E;
    auto &List = N < 5 ? I.In : I.Out;
    for (unsigned K = 0; K < Count[N]; ++K) {
      RegisterValue R;
      R.Which = Which;
      R.Index = ShortIndex ? take<uint8_t>() : take<uint16_t>();
      R.Value[0] = take<uint64_t>();
      if (Wide)
        R.Value[1] = take<uint64_t>();
      List.push_back(R);
    }
  }
  return Error::success();
}

/// One record. False at the end of the file.
Expected<bool> QtraceParser::takeRecord(ReadInsn &I, bool Suffix) {
  Expected<bool> There = need(Ahead);
  if (!There)
    return There.takeError();
  if (At == End)
    return false;
  uint64_t Offset = offset();
  if (Error E = check(6))
    return E;
  uint32_t Opcode = take<uint32_t>();
  uint16_t Flags = take<uint16_t>();
  uint16_t Flags2 = 0, Flags3 = 0;
  if (Flags & FlagExt) {
    if (Error E = check(2))
      return E;
    Flags2 = take<uint16_t>();
    if (Flags2 & Flag2Ext) {
      if (Error E = check(2))
        return E;
      Flags3 = take<uint16_t>();
    }
  }
  if ((Flags & FlagsUnknown) || (Flags2 & (Flags2Unknown | Flag2Header)))
    return fail(Offset, formatv("unknown flags {0:x-4}, {1:x-4} of opcode "
                                "{2:x-8}",
                                Flags, Flags2, Opcode));
  I.Opcode = Opcode;
  if (!Suffix)
    I.EA = Iar;
  Iar += 4;
  // Radix blocks, registers and data values ask for themselves.
  if (Error E = check(
          (Flags & FlagNode ? 1 : 0) + (Flags & FlagTermination ? 2 : 0) +
          (Flags & FlagProcessor ? 1 : 0) + (Flags & FlagDataAddress ? 8 : 0) +
          (Flags & FlagDataVsid ? 7 : 0)))
    return E;
  if (Flags & FlagNode)
    I.Node = take<uint8_t>();
  if (Flags & FlagTermination) {
    I.TerminationNode = take<uint8_t>();
    unsigned Code = take<uint8_t>();
    switch (Termination(Code)) {
    case Termination::Unconditional:
    case Termination::Exception:
    case Termination::InstructionDepth:
    case Termination::Conditional:
      break;
    default:
      return fail(Offset, formatv("termination code {0:x-2}; 08, 10, 40 or 80 "
                                  "expected",
                                  Code));
    }
    I.Ends = Termination(Code);
  }
  if (Flags & FlagProcessor)
    take<uint8_t>();
  if (Flags & FlagDataAddress)
    I.DataEA = take<uint64_t>();
  if (Flags & FlagDataVsid)
    At += 7;
  if (Flags & FlagDataRpn)
    if (Error E = takePlace(I.Data, Flags3, Role::HostData, Role::GuestData,
                            Flags2 & Flag2Ext))
      return E;
  unsigned Length = 0;
  if (Flags & FlagLength) {
    if (Error E = check(1))
      return E;
    Length = take<uint8_t>();
  }
  if (Flags & FlagData) {
    if (Error E = check(Length))
      return E;
    I.Value.assign(&Buffer[At], &Buffer[At] + Length);
    At += Length;
  }
  if (Flags & FlagIar) {
    if (Error E = check(8))
      return E;
    Iar = take<uint64_t>();
  }
  I.IarChange |= (Flags & (FlagIar | FlagIarChange)) != 0;
  if (Flags & FlagIarVsid) {
    if (Error E = check(7))
      return E;
    At += 7;
  }
  if (Flags & FlagIarRpn) {
    // Page sizes hold until they change, like the page itself.
    if (Error E = takePlace(Place, Flags3, Role::HostInsn, Role::GuestInsn,
                            Flags2 & Flag2Ext))
      return E;
    PlaceEA = Iar;
  }
  if (Flags & FlagRegisters)
    if (Error E = takeRegisters(I))
      return E;
  auto byte = [&](uint16_t Flag, std::optional<uint8_t> &Out) -> Error {
    if (!(Flags2 & Flag))
      return Error::success();
    if (Error E = check(1))
      return E;
    Out = take<uint8_t>();
    if (*Out > 60)
      return fail(Offset, formatv("a page size of 2^{0}", unsigned(*Out)));
    return Error::success();
  };
  if (Flags2 & Flag2SequentialRpn) {
    if (Error E = check(4))
      return E;
    take<uint32_t>();
  }
  if (Flags2 & Flag2Error) {
    if (Error E = check(1))
      return E;
    take<uint8_t>();
  }
  if (Flags2 & Flag2SequentialPageShift) {
    if (Error E = check(1))
      return E;
    take<uint8_t>();
  }
  if (Error E = byte(Flag2IarPageShift, Place.PageShift))
    return E;
  if (Flags & FlagIarRpn) {
    I.TellsNext = true;
    I.NextRpn = Place.Rpn;
    I.NextPageShift = Place.PageShift;
  }
  if (Error E = byte(Flag2DataPageShift, I.Data.PageShift))
    return E;
  if (Error E = byte(Flag2IarGuestShift, Place.GuestShift))
    return E;
  if (Error E = byte(Flag2DataGuestShift, I.Data.GuestShift))
    return E;
  return true;
}

Expected<bool> QtraceParser::next(ReadInsn &I) {
  I = ReadInsn();
  for (;;) {
    Expected<bool> There = need(4);
    if (!There)
      return There.takeError();
    if (At == End)
      return false;
    if (Error E = check(4))
      return E;
    if (support::endian::read32be(&Buffer[At]) != 0)
      break;
    if (Error E = takeHeader())
      return E;
  }
  if (!HaveIar)
    return fail(offset(), "the file has no header with an address before its "
                          "first instruction");
  I.Offset = offset();
  I.Insn = Place;
  if ((Iar ^ PlaceEA) >> Place.commonShift() == 0)
    I.Real = Place.real(Iar);
  Expected<bool> Got = takeRecord(I, false);
  if (!Got || !*Got || !ppc::isPrefix(I.Opcode))
    return Got;
  I.Prefixed = true;
  I.Prefix = I.Opcode;
  if (I.IarChange)
    return fail(I.Offset, "the suffix of a prefixed instruction is not behind "
                          "its prefix");
  Got = takeRecord(I, true);
  if (Got && !*Got)
    return fail(I.Offset, "a prefix without its suffix at the end of the file");
  return Got;
}

} // namespace rw::qtrace
