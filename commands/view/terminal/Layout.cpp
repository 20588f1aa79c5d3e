//===- Layout.cpp ---------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Layout.h"
#include <algorithm>

namespace rw::term {

int sideWidth(int Width) {
  return Width < WideWidth ? Width : std::clamp(Width * 2 / 5, 66, 110);
}

/// Heights for the wishes, each with its status, that together are at most
/// \p Room: the highest give first, then the last ones are left out.
static std::vector<int> share(const std::vector<PaneWish> &Wishes, int Room,
                              std::optional<size_t> Focus) {
  std::vector<int> Heights;
  int Sum = 0;
  for (const PaneWish &W : Wishes) {
    Heights.push_back(std::max(W.Height + W.Taller, 1) + 1);
    Sum += Heights.back();
  }
  while (Sum > Room) {
    // What the user made higher stays so as long as others can give.
    size_t Most = 0;
    auto Spare = [&](size_t I) {
      return Heights[I] <= 2 ? 0 : Heights[I] - std::max(Wishes[I].Taller, 0);
    };
    for (size_t I = 1; I < Heights.size(); ++I)
      if (Spare(I) > Spare(Most))
        Most = I;
    if (!Heights.empty() && Heights[Most] > 2) {
      --Heights[Most];
      --Sum;
      continue;
    }
    auto Last = Heights.size();
    while (Last-- > 0)
      if (Heights[Last] && Last != Focus)
        break;
    if (Last >= Heights.size())
      break; // only the focus is left
    Sum -= Heights[Last];
    Heights[Last] = 0;
  }
  if (Sum > Room && Focus)
    Heights[*Focus] = std::max(Room, 0);
  return Heights;
}

ScreenParts partScreen(int Width, int Height,
                       const std::vector<PaneWish> &Others,
                       std::optional<size_t> Focus) {
  ScreenParts P;
  const bool Wide = Width >= WideWidth && !Others.empty();
  int Asked = 0;
  for (const PaneWish &W : Others)
    Asked += std::max(W.Taller, 0);
  const int Least = std::max(4, Height / 2 - Asked);
  std::vector<int> Heights =
      share(Others, Wide ? Height : Height - Least, Focus);
  if (Wide) {
    const int Side = sideWidth(Width), Left = Width - Side - 1;
    P.Divider = Left;
    P.Panes.push_back({0, 0, Left, Height});
    int Y = 0, Last = -1;
    for (size_t I = 0; I < Heights.size(); ++I) {
      P.Panes.push_back({Left + 1, Y, Side, Heights[I]});
      Y += Heights[I];
      if (Heights[I])
        Last = I;
    }
    // Nothing is left empty.
    if (Last >= 0 && Y < Height)
      P.Panes[Last + 1].Height += Height - Y;
    return P;
  }
  int Sum = 0;
  for (int H : Heights)
    Sum += H;
  P.Panes.push_back({0, 0, Width, Height - Sum});
  int Y = Height - Sum;
  for (int H : Heights) {
    P.Panes.push_back({0, Y, Width, H});
    Y += H;
  }
  return P;
}

} // namespace rw::term
