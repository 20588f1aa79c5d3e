//===- RealPages.h - Where real pages were seen -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_REALPAGES_H
#define REWIND_STORE_REALPAGES_H

#include "core/model/ItemBatch.h"
#include "core/store/Format.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>
#include <vector>

namespace rw {

/// Collects which pages of real memory were accessed at which pages of
/// effective addresses, whenever that was. Pages of 4 KiB: what a mapping's own
/// page size is does not matter.
class RealPages {
public:
  static constexpr unsigned PageBits = 12;

  RealPages() {
    std::fill_n(Recent, NumRecent, format::RealPage{NoPage, NoPage});
  }
  void add(uint64_t Addr, uint64_t Real, unsigned Size) {
    page(Addr, Real);
    uint64_t Last = Size - 1u;
    if ((Addr ^ (Addr + Last)) >> PageBits)
      page(Addr + Last, Real + Last);
  }
  void add(const format::RealPage &P) { Pages.insert({P.Real, P.Effective}); }
  /// Ascending.
  std::vector<format::RealPage> take();

private:
  void page(uint64_t Addr, uint64_t Real) {
    uint64_t E = Addr >> PageBits, R = Real >> PageBits;
    format::RealPage &Last = Recent[E % NumRecent];
    if (Last.Effective == E && Last.Real == R)
      return;
    Last = {R, E};
    Pages.insert({R, E});
  }

  static constexpr unsigned NumRecent = 256;
  static constexpr uint64_t NoPage = ~uint64_t(0);
  format::RealPage Recent[NumRecent] = {};
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> Pages;
};

} // namespace rw

#endif // REWIND_STORE_REALPAGES_H
