//===- QtraceFormat.h - Layout of Qtrace files ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Big-endian, packed, without alignment, footer or checksum.
//
// A record: u32 opcode, u16 flags, [u16 flags2 if FlagExt], [u16 flags3 if
// Flag2Ext], then the payloads in the order of the enumerators below. A header
// is a record with opcode 0 and Flag2Header; it may recur. Instruction address
// fields tell of the *next* instruction, and hold until they change.
//
// A radix block comes before a real page number if flags3 is there:
//   host and guest radix: u8 ptes, u8 walks, walks*ptes u64 host entries,
//                         walks-1 u64 host-real, walks u64 guest-real
//   host radix only:      4 u64 host entries
//   else:                 nothing
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_QTRACE_QTRACEFORMAT_H
#define REWIND_FORMATS_QTRACE_QTRACEFORMAT_H

#include "llvm/Support/Endian.h"
#include <cstdint>

namespace rw::qtrace {

enum Flag : uint16_t {
  FlagIarChange = 0x8000,   ///< no payload
  FlagNode = 0x4000,        ///< u8
  FlagTermination = 0x2000, ///< u8 node, u8 code
  FlagProcessor = 0x1000,   ///< u8
  FlagDataAddress = 0x0800, ///< u64
  FlagDataVsid = 0x0400,    ///< 7 bytes
  FlagDataRpn = 0x0200,     ///< [radix block] u32
  FlagLength = 0x0100,      ///< u8
  FlagData = 0x0080,        ///< as many bytes
  FlagIar = 0x0040,         ///< u64
  FlagIarVsid = 0x0020,     ///< 7 bytes
  FlagIarRpn = 0x0010,      ///< [radix block] u32
  FlagRegisters = 0x0008,
  FlagExt = 0x0001, ///< flags2 follow
  FlagsUnknown = 0x0006
};

/// Payloads in this order, not by value.
enum Flag2 : uint16_t {
  Flag2SequentialRpn = 0x4000,       ///< u32
  Flag2Error = 0x1000,               ///< u8
  Flag2SequentialPageShift = 0x0020, ///< u8
  Flag2IarPageShift = 0x0200,        ///< u8
  Flag2DataPageShift = 0x0100,       ///< u8
  Flag2IarGuestShift = 0x0008,       ///< u8
  Flag2DataGuestShift = 0x0004,      ///< u8
  Flag2Header = 0x0002,
  Flag2Ext = 0x0001, ///< flags3 follow
  Flags2Unknown = uint16_t(~(0x4000 | 0x1000 | 0x0020 | 0x0200 | 0x0100 |
                             0x0008 | 0x0004 | 0x0002 | 0x0001))
};

enum HeaderFlag : uint16_t {
  HeaderMagic = 0x8000,      ///< u32
  HeaderVersion = 0x4000,    ///< u32
  HeaderIar = 0x2000,        ///< u64
  HeaderVsid = 0x1000,       ///< 7 bytes
  HeaderRpn = 0x0800,        ///< [radix block] u32
  HeaderPageShift = 0x0040,  ///< u8
  HeaderGuestShift = 0x0010, ///< u8
  // Here: flags3's PTCR u64, LPID u64, PID u32.
  HeaderComment = 0x0002, ///< u16 length, bytes
  HeaderUnknown = uint16_t(
      ~(0x8000 | 0x4000 | 0x2000 | 0x1000 | 0x0800 | 0x0040 | 0x0010 | 0x0002))
};

enum Flag3 : uint16_t { Flag3Ptcr = 0x80, Flag3Lpid = 0x40, Flag3Pid = 0x20 };

/// How an access is translated: two bits each in flags3.
enum class Translation : uint8_t { Radix, Real, Hpt, Undefined };
enum class Role : uint8_t {
  HostData = 14,
  GuestData = 12,
  HostInsn = 10,
  GuestInsn = 8
};
constexpr Translation translation(uint16_t Flags3, Role R) {
  return Translation(Flags3 >> unsigned(R) & 3);
}
constexpr uint16_t translationBits(Translation T, Role R) {
  return uint16_t(unsigned(T) << unsigned(R));
}

enum class Termination : uint8_t {
  None = 0,
  Unconditional = 0x08,
  Exception = 0x10,
  InstructionDepth = 0x40, ///< a conditional branch, too
  Conditional = 0x80,
};

/// Returns the end of what it writes.
template <typename T> inline uint8_t *put(uint8_t *Out, T V) {
  llvm::support::endian::write<T>(Out, V, llvm::endianness::big);
  return Out + sizeof(T);
}

constexpr uint32_t Version = 0x07010000;
/// The page shift of a real page number that comes without one.
constexpr unsigned DefaultShift = 16;

} // namespace rw::qtrace

#endif // REWIND_FORMATS_QTRACE_QTRACEFORMAT_H
