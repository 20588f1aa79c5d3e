//===- Svg.cpp - A flame graph as a picture -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallContexts.h"
#include "core/export/CallExport.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "core/support/Digits.h"
#include "core/support/Printable.h"
#include "llvm/Support/Format.h"

namespace rw {

namespace {

constexpr double Width = 1200, RowHeight = 16, Margin = 10, Top = 40;
/// Narrower ones cannot be seen, and would make the file endless.
constexpr double MinWidth = 0.2;

std::string escape(llvm::StringRef Text) {
  std::string S;
  for (char C : printable(Text)) {
    if (C == '&')
      S += "&amp;";
    else if (C == '<')
      S += "&lt;";
    else if (C == '>')
      S += "&gt;";
    else if (C == '"')
      S += "&quot;";
    else
      S += C;
  }
  return S;
}

/// A warm colour that stays the same for a name.
std::string colour(llvm::StringRef Name) {
  uint32_t H = 2166136261u;
  for (char C : Name)
    H = (H ^ uint8_t(C)) * 16777619u;
  return "rgb(" + std::to_string(205 + H % 50) + "," +
         std::to_string(70 + H / 50 % 140) + "," +
         std::to_string(H / 7000 % 60) + ")";
}

/// Zooms to the frame that is clicked, and fills the width of the window: every
/// frame keeps its place (x, w in units of the whole) in data attributes.
constexpr const char Script[] = R"js(
var W = 1180, X0 = 10, shown = [0, 1, 0];
function zoom(x, w, d) {
  shown = [x, w, d];
  var all = document.querySelectorAll('g.f');
  for (var i = 0; i < all.length; i++) {
    var g = all[i], gx = +g.dataset.x, gw = +g.dataset.w, gd = +g.dataset.d;
    var out = gx + gw <= x || gx >= x + w;
    g.style.display = out ? 'none' : '';
    if (out) continue;
    var a = Math.max(gx, x), b = Math.min(gx + gw, x + w);
    var px = X0 + (a - x) / w * W, pw = (b - a) / w * W;
    var r = g.querySelector('rect'), t = g.querySelector('text');
    r.setAttribute('x', px);
    r.setAttribute('width', Math.max(pw, 0.1));
    r.style.opacity = gd < d ? 0.5 : 1;
    t.setAttribute('x', px + 3);
    var n = Math.floor((pw - 6) / 6.6), s = g.dataset.n;
    t.textContent = n < 3 ? '' : s.length <= n ? s : s.slice(0, n - 2) + '..';
  }
}
document.addEventListener('click', function (e) {
  var g = e.target.closest ? e.target.closest('g.f') : null;
  if (g) zoom(+g.dataset.x, +g.dataset.w, +g.dataset.d);
  else zoom(0, 1, 0);
});
function fit() {
  var width = Math.max(window.innerWidth || 1200, 300);
  W = width - 2 * X0;
  var svg = document.documentElement, box = svg.viewBox.baseVal;
  svg.setAttribute('width', width);
  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + box.height);
  zoom.apply(null, shown);
}
window.addEventListener('resize', fit);
fit();
)js";

} // namespace

llvm::Error exportSvg(const CallQuery &Q, CostUnit Unit, llvm::StringRef Title,
                      llvm::raw_ostream &Out) {
  SweepOptions Options;
  Options.Times = Unit == CostUnit::Time;
  auto Contexts = CallContexts::collect(Q, Options);
  if (!Contexts)
    return Contexts.takeError();
  auto Cost = [&](const CallContext &C) {
    return Unit == CostUnit::Time ? C.Time : C.Instructions;
  };
  uint64_t Total = 0;
  for (const CallContext *Root : Contexts->roots())
    Total += Cost(*Root);
  if (!Total)
    return llvm::createStringError(
        Unit == CostUnit::Time
            ? "there is nothing to draw: all of it took no time"
            : "there is nothing to draw: the trace has no instructions");
  const std::string Noun = Unit == CostUnit::Time ? Q.Store.header().TimeUnit
                                                  : std::string("instructions");

  struct Item {
    const CallContext *Context;
    double X;
    unsigned Depth;
  };
  std::vector<Item> Items, Work;
  double X = 0;
  for (const CallContext *Root : Contexts->roots()) {
    Work.push_back({Root, X, 0});
    X += double(Cost(*Root)) / double(Total);
  }
  unsigned MaxDepth = 0;
  while (!Work.empty()) {
    Item I = Work.back();
    Work.pop_back();
    Items.push_back(I);
    MaxDepth = std::max(MaxDepth, I.Depth);
    double ChildX = I.X;
    for (auto &[Key, Callee] : I.Context->Callees) {
      double W = double(Cost(*Callee)) / double(Total);
      if (W * (Width - 2 * Margin) >= MinWidth)
        Work.push_back({Callee, ChildX, I.Depth + 1});
      ChildX += W;
    }
  }

  double Height = Top + (MaxDepth + 1) * RowHeight + Margin;
  Out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                      "width=\"%.0f\" height=\"%.0f\" "
                      "viewBox=\"0 0 %.0f %.0f\" "
                      "font-family=\"monospace\" font-size=\"11\">\n",
                      Width, Height, Width, Height)
      << "<rect width=\"100%\" height=\"100%\" fill=\"#fdfaf4\"/>\n"
      << "<text x=\"10\" y=\"24\" font-size=\"15\">" << escape(Title) << ": "
      << grouped(Total) << " " << escape(Noun) << "</text>\n";
  uint64_t Count = 0;
  for (const Item &I : Items) {
    if ((++Count & 0xfff) == 0)
      if (llvm::Error E = Q.Watch.check())
        return E;
    const CallContext &C = *I.Context;
    double W = double(Cost(C)) / double(Total);
    double Pixels = W * (Width - 2 * Margin);
    double Left = Margin + I.X * (Width - 2 * Margin);
    double Y = Height - Margin - (I.Depth + 1) * RowHeight;
    const std::string Name = functionLabel(Q.Names, C.Function);
    const std::string Brief = briefName(Name);
    size_t Fits = Pixels < 6 ? 0 : size_t((Pixels - 6) / 6.6);
    std::string Shown = Fits < 3 ? ""
                        : Brief.size() <= Fits
                            ? Brief
                            : Brief.substr(0, Fits - 2) + "..";
    Out << llvm::format("<g class=\"f\" data-x=\"%.9g\" data-w=\"%.9g\" "
                        "data-d=\"%u\" data-n=\"",
                        I.X, W, I.Depth)
        << escape(Brief) << "\"><title>" << escape(Name) << "\n"
        << grouped(Cost(C)) << " " << escape(Noun)
        << llvm::format(" (%.2f%%), own ", 100.0 * W)
        << grouped(Unit == CostUnit::Time ? C.OwnTime : C.Own) << ", "
        << grouped(C.Calls) << (C.Calls == 1 ? " call" : " calls") << "</title>"
        << llvm::format("<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
                        "height=\"%.0f\" fill=\"",
                        Left, Y, Pixels, RowHeight - 1)
        << colour(Name) << "\" rx=\"1\"/>"
        << llvm::format("<text x=\"%.2f\" y=\"%.1f\">", Left + 3, Y + 11.5)
        << escape(Shown) << "</text></g>\n";
  }
  Out << "<script><![CDATA[" << Script << "]]></script>\n</svg>\n";
  return llvm::Error::success();
}

} // namespace rw
