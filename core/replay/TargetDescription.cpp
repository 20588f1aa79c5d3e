//===- TargetDescription.cpp - Registers for the debugger -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/TargetDescription.h"
#include "core/expr/Expression.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace rw;

llvm::StringRef rw::tripleFor(Arch A) {
  switch (A) {
  case Arch::AArch64:
    return "aarch64-unknown-unknown";
  case Arch::Arm:
    return "armv7-unknown-unknown";
  case Arch::PPC64:
    return "powerpc64-unknown-unknown";
  case Arch::PPC64LE:
    return "powerpc64le-unknown-unknown";
  case Arch::X86_64:
    return "x86_64-unknown-unknown";
  case Arch::Unknown:
    break;
  }
  return "";
}

unsigned rw::addressSize(Arch A) { return A == Arch::Arm ? 4 : 8; }

llvm::StringRef rw::xmlArchitecture(Arch A) {
  switch (A) {
  case Arch::AArch64:
    return "aarch64";
  case Arch::Arm:
    return "arm";
  case Arch::X86_64:
    return "i386:x86-64";
  case Arch::PPC64:
  case Arch::PPC64LE:
    return "powerpc:common64";
  case Arch::Unknown:
    break;
  }
  return "";
}

std::string rw::targetXML(const TraceStore &Store) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS << "<?xml version=\"1.0\"?><target version=\"1.0\"><architecture>"
     << xmlArchitecture(Store.header().Architecture)
     << "</architecture><feature name=\"rewind\">";
  auto Regs = Store.registerFile().registers();
  unsigned PCSize = addressSize(Store.header().Architecture);
  for (size_t I = 0; I < Regs.size(); ++I) {
    const RegisterInfo &R = Regs[I];
    OS << "<reg name=\"";
    llvm::printHTMLEscaped(R.Name, OS);
    unsigned Size = R.IsPC ? PCSize : R.Slice.Size;
    OS << "\" regnum=\"" << I << "\" bitsize=\"" << 8 * Size << '"';
    if (!R.AltName.empty()) {
      OS << " altname=\"";
      llvm::printHTMLEscaped(R.AltName, OS);
      OS << '"';
    }
    if (!R.Generic.empty())
      OS << " generic=\"" << R.Generic << '"';
    if (R.Dwarf >= 0)
      OS << " dwarf_regnum=\"" << R.Dwarf << "\" ehframe_regnum=\"" << R.Dwarf
         << '"';
    switch (R.Format) {
    case RegisterFormat::Hex:
      OS << " encoding=\"uint\" format=\"hex\"";
      break;
    case RegisterFormat::Pointer:
      OS << " encoding=\"uint\" format=\"hex\" type=\"data_ptr\"";
      break;
    case RegisterFormat::Code:
      OS << " encoding=\"uint\" format=\"hex\" type=\"code_ptr\"";
      break;
    case RegisterFormat::Float:
      OS << " encoding=\"ieee754\" format=\"float\"";
      break;
    case RegisterFormat::Vector:
      OS << " encoding=\"vector\" format=\"vector-uint8\"";
      break;
    }
    // A part of another register is served on its own, not cut out of its
    // container by LLDB (value_regnums): w0 may be known where x0 is not.
    if (R.Container >= 0)
      OS << " group=\"Parts of other registers\"";
    else if (R.Set == RegisterSet::General)
      OS << " group=\"general\"";
    else if (R.Set == RegisterSet::Float)
      OS << " group=\"float\"";
    else
      OS << " group=\"system\"";
    OS << "/>";
  }
  // Not registers of any machine, but LLDB lets them be used like these:
  // in expressions, conditions and formats.
  for (size_t I = 0; I < std::size(TracePartNames); ++I)
    OS << "<reg name=\"" << TracePartNames[I] << "\" regnum=\""
       << Regs.size() + I
       << "\" bitsize=\"64\" encoding=\"uint\" format=\"decimal\" "
          "group=\"position in the trace\"/>";
  OS << "</feature></target>";
  return Text;
}
