//===- EffectsText.cpp - Effects as a person reads them -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/effects/EffectsCheck.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::dataflow {

std::string effectsText(const CellMap &Map, const TemplateEffects &T) {
  std::string Text;
  raw_string_ostream OS(Text);
  auto cells = [&](ArrayRef<CellRef> List) {
    std::string Names;
    for (CellRef R : List)
      Names += " " + Map.name(R);
    return Names;
  };
  auto part = [](MemoryPart P) {
    return P.Size == MemoryPart::All
               ? std::string()
               : formatv("+{0}:{1}", P.Offset, P.Size).str();
  };
  if (!T.Known)
    OS << "  not known\n";
  if (!T.Predicate.empty())
    OS << "  if" << cells(T.Predicate) << "\n";
  for (const Effect &E : T.Effects) {
    OS << "  " << (E.Flags & Effect::Flow ? "flow" : "") << cells(E.Writes);
    if (E.Store)
      OS << " store" << part(E.Store);
    OS << " <-" << cells(E.Values);
    for (CellPart P : E.Parts)
      OS << formatv(" (of {0} bytes {1:x})", Map.name(CellRef{P.Of, 1}),
                    P.Bytes);
    if (E.Load)
      OS << " load" << part(E.Load);
    if (!E.Addresses.empty())
      OS << " @" << cells(E.Addresses);
    if (E.Flags & Effect::Copy)
      OS << " copy" << cells(E.Moved);
    if (E.Flags & Effect::AddConstant)
      OS << formatv(" plus {0}", E.Addend);
    if (E.Flags & Effect::Writeback)
      OS << " writeback";
    if (E.Flags & Effect::ReturnAddress)
      OS << " return address";
    if (E.Flags & Effect::Sticky)
      OS << " sticky";
    if (E.Flags & Effect::System)
      OS << " system";
    if (E.Flags & Effect::Rename)
      OS << " rename";
    if (E.Flags & Effect::Lanes4)
      OS << " lanes of 4";
    if (E.Flags & Effect::Lanes8)
      OS << " lanes of 8";
    OS << "\n";
  }
  if (T.Barrier)
    OS << "  barrier\n";
  return Text;
}

} // namespace rw::dataflow
