//===- Reseal.h - Makes a damaged store look whole --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checksums keep nearly all damage from the code behind them. To test that code
// on what a malicious file may hold, the checksums are made right again.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_RESEAL_H
#define REWIND_TEST_RESEAL_H

#include "core/store/Checksum.h"
#include "core/store/Format.h"
#include <cstring>
#include <string>

namespace rw {

/// Gives all parts of \p Store that are inside of it the checksums that their
/// contents have.
inline void reseal(std::string &Store) {
  using namespace format;
  auto *Bytes = reinterpret_cast<uint8_t *>(Store.data());
  uint64_t Size = Store.size();
  auto inside = [&](uint64_t Offset, uint64_t Length) {
    return Offset <= Size && Length <= Size - Offset;
  };
  FileHeader H;
  if (Size < sizeof(H))
    return;
  std::memcpy(&H, Bytes, sizeof(H));
  H.FileBytes = Size;
  if (inside(H.TocOffset, H.TocBytes)) {
    // Segments first: the table of their checksums is in a section.
    for (bool OfSegments : {true, false})
      for (uint64_t At = H.TocOffset;
           At + sizeof(TocEntry) <= H.TocOffset + H.TocBytes;
           At += sizeof(TocEntry)) {
        TocEntry T;
        std::memcpy(&T, Bytes + At, sizeof(T));
        if (!inside(T.Offset, T.Bytes))
          continue;
        bool IsTable = !std::strncmp(T.Name, "segments", sizeof(T.Name));
        for (uint64_t S = T.Offset;
             OfSegments && IsTable && S + sizeof(Segment) <= T.Offset + T.Bytes;
             S += sizeof(Segment)) {
          Segment Info;
          std::memcpy(&Info, Bytes + S, sizeof(Info));
          if (!inside(Info.Offset, Info.Bytes))
            continue;
          Info.Checksum = checksum({Bytes + Info.Offset, size_t(Info.Bytes)});
          std::memcpy(Bytes + S, &Info, sizeof(Info));
        }
        T.Checksum = checksum({Bytes + T.Offset, size_t(T.Bytes)});
        std::memcpy(Bytes + At, &T, sizeof(T));
      }
    H.TocChecksum = checksum({Bytes + H.TocOffset, size_t(H.TocBytes)});
  }
  std::memcpy(Bytes, &H, sizeof(H));
  H.HeaderChecksum = checksum({Bytes, offsetof(FileHeader, HeaderChecksum)});
  std::memcpy(Bytes, &H, sizeof(H));
}

} // namespace rw

#endif // REWIND_TEST_RESEAL_H
