//===- CodePages.cpp - Real addresses of instructions ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/CodePages.h"
#include "core/store/TraceStore.h"
#include <algorithm>

using namespace rw;

llvm::Expected<CodePages> CodePages::open(const TraceStore &Store) {
  auto Bytes = Store.section(Section);
  if (!Bytes)
    return Bytes.takeError();
  if (Bytes->size() % sizeof(CodePage) ||
      uintptr_t(Bytes->data()) % alignof(CodePage))
    return llvm::createStringError("the index is damaged: section '" + Section +
                                   "'");
  CodePages P;
  P.Pages = {reinterpret_cast<const CodePage *>(Bytes->data()),
             Bytes->size() / sizeof(CodePage)};
  return P;
}

std::optional<uint64_t> CodePages::realAddress(Moment When, uint64_t PC) const {
  if (Pages.empty())
    return std::nullopt;
  // The last entry of all says where the table was full.
  if (Pages.back().Effective == CodePage::Any && Pages.back().From <= When)
    return std::nullopt;
  const uint64_t Effective = PC >> CodePage::Bits;
  const CodePage *It = std::upper_bound(
      Pages.begin(), Pages.end(), std::pair(Effective, When),
      [](const std::pair<uint64_t, Moment> &At, const CodePage &P) {
        return At < std::pair(P.Effective, P.From);
      });
  if (It == Pages.begin() || It[-1].Effective != Effective ||
      It[-1].Real == CodePage::Unknown)
    return std::nullopt;
  return It[-1].Real << CodePage::Bits |
         (PC & ((uint64_t(1) << CodePage::Bits) - 1));
}
