//===- LayoutTest.cpp -----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Layout.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw::term;

TEST(Layout, PartsTheScreen) {
  std::mt19937 R(1);
  auto Below = [&](int N) { return int(R() % unsigned(N)); };
  for (int Round = 0; Round < 20000; ++Round) {
    const int Width = LeastWidth + Below(300),
              Height = LeastHeight - 1 + Below(80);
    std::vector<PaneWish> Wishes(Below(13));
    for (PaneWish &W : Wishes)
      W = {Below(40), Below(9) - 4};
    std::optional<size_t> Focus;
    if (!Wishes.empty() && Below(2))
      Focus = size_t(Below(int(Wishes.size())));
    ScreenParts P = partScreen(Width, Height, Wishes, Focus);
    ASSERT_EQ(P.Panes.size(), Wishes.size() + 1);
    // Each line of each column belongs to one pane, but for the divider's.
    std::vector<int> Owners(size_t(Width) * Height);
    for (const Rect &Rect : P.Panes)
      for (int Y = Rect.Y; Y < Rect.Y + Rect.Height; ++Y)
        for (int X = Rect.X; X < Rect.X + Rect.Width; ++X) {
          ASSERT_TRUE(X >= 0 && X < Width && Y >= 0 && Y < Height);
          ++Owners[size_t(Y) * Width + X];
        }
    for (int Y = 0; Y < Height; ++Y)
      for (int X = 0; X < Width; ++X)
        ASSERT_EQ(Owners[size_t(Y) * Width + X], P.Divider == X ? 0 : 1)
            << Width << "x" << Height << " " << X << "," << Y;
    ASSERT_GE(P.Panes[0].Height, std::min(4, Height));
    if (Focus) {
      ASSERT_GT(P.Panes[*Focus + 1].Height, 0);
    }
    ASSERT_EQ(P.Divider.has_value(), Width >= WideWidth && !Wishes.empty());
  }
}
