//===- GDBDescription.cpp - Registers as GDB wants them -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/GDBDescription.h"
#include "core/expr/Expression.h"
#include "core/replay/TargetDescription.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace rw;
using llvm::StringRef;
using llvm::Twine;

namespace {
class Writer {
public:
  explicit Writer(const TraceStore &Store)
      : Regs(Store.registerFile()),
        AddressBytes(addressSize(Store.header().Architecture)), OS(D.XML) {
    OS << "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
          "<target version=\"1.0\"><architecture>"
       << xmlArchitecture(Store.header().Architecture) << "</architecture>";
  }

  void begin(StringRef Feature, StringRef Types = "") {
    OS << "<feature name=\"" << Feature << "\">" << Types;
  }
  void end() { OS << "</feature>"; }

  /// A register under GDB's name, if that is not ours.
  void reg(const Twine &Name, unsigned Bits, StringRef Type = "",
           StringRef Ours = "") {
    const std::string Text = Name.str();
    const RegisterInfo *R = Regs.find(Ours.empty() ? StringRef(Text) : Ours);
    add(Text, Bits, Type,
        R ? std::optional(unsigned(R - Regs.registers().data()))
          : std::nullopt);
  }
  void regs(StringRef Prefix, unsigned Count, unsigned Bits,
            StringRef Type = "") {
    for (unsigned N = 0; N < Count; ++N)
      reg(Prefix + Twine(N), Bits, Type);
  }
  void pc(StringRef Name) { reg(Name, 8 * AddressBytes, "code_ptr", "pc"); }

  /// What no standard feature has, as far as GDB can name it: a name is
  /// letters, digits and underscores to it.
  void rest() {
    begin("org.rewind.system");
    for (const auto &[N, R] : llvm::enumerate(Regs.registers()))
      if (R.Set == RegisterSet::System && R.Container < 0 &&
          llvm::all_of(R.Name,
                       [](char C) { return llvm::isAlnum(C) || C == '_'; }))
        add(R.Name, 8 * R.Slice.Size, "", unsigned(N));
    end();
    begin("org.rewind.position");
    for (size_t N = 0; N < std::size(TracePartNames); ++N)
      add(TracePartNames[N].str(), 64, "int",
          unsigned(Regs.registers().size() + N));
    end();
  }

  GDBDescription finish() {
    OS << "</target>";
    return std::move(D);
  }

private:
  void add(const std::string &Name, unsigned Bits, StringRef Type,
           std::optional<unsigned> Source) {
    // GDB has no integers of other sizes.
    if (Type.empty() && !llvm::is_contained({8u, 16u, 32u, 64u, 128u}, Bits))
      return;
    if (!Names.insert(StringRef(Name).lower()).second)
      return;
    OS << "<reg name=\"" << Name << "\" bitsize=\"" << Bits << "\" regnum=\""
       << D.Registers.size() << '"';
    if (!Type.empty())
      OS << " type=\"" << Type << '"';
    OS << "/>";
    D.Registers.push_back({Name, Bits / 8, Source});
  }

  const RegisterFile &Regs;
  const unsigned AddressBytes;
  GDBDescription D;
  llvm::raw_string_ostream OS;
  llvm::StringSet<> Names;
};
} // namespace

/// As GDB's own features/aarch64-fpu.xml has them.
static constexpr StringRef AArch64VectorTypes =
    "<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/>"
    "<vector id=\"v2u\" type=\"uint64\" count=\"2\"/>"
    "<vector id=\"v2i\" type=\"int64\" count=\"2\"/>"
    "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"
    "<vector id=\"v4u\" type=\"uint32\" count=\"4\"/>"
    "<vector id=\"v4i\" type=\"int32\" count=\"4\"/>"
    "<vector id=\"v8u\" type=\"uint16\" count=\"8\"/>"
    "<vector id=\"v8i\" type=\"int16\" count=\"8\"/>"
    "<vector id=\"v8f16\" type=\"ieee_half\" count=\"8\"/>"
    "<vector id=\"v16u\" type=\"uint8\" count=\"16\"/>"
    "<vector id=\"v16i\" type=\"int8\" count=\"16\"/>"
    "<vector id=\"v1u\" type=\"uint128\" count=\"1\"/>"
    "<vector id=\"v1i\" type=\"int128\" count=\"1\"/>"
    "<union id=\"vnd\"><field name=\"f\" type=\"v2d\"/>"
    "<field name=\"u\" type=\"v2u\"/><field name=\"s\" type=\"v2i\"/></union>"
    "<union id=\"vns\"><field name=\"f\" type=\"v4f\"/>"
    "<field name=\"u\" type=\"v4u\"/><field name=\"s\" type=\"v4i\"/></union>"
    "<union id=\"vnh\"><field name=\"f\" type=\"v8f16\"/>"
    "<field name=\"u\" type=\"v8u\"/><field name=\"s\" type=\"v8i\"/></union>"
    "<union id=\"vnb\"><field name=\"u\" type=\"v16u\"/>"
    "<field name=\"s\" type=\"v16i\"/></union>"
    "<union id=\"vnq\"><field name=\"u\" type=\"v1u\"/>"
    "<field name=\"s\" type=\"v1i\"/></union>"
    "<union id=\"aarch64v\"><field name=\"d\" type=\"vnd\"/>"
    "<field name=\"s\" type=\"vns\"/><field name=\"h\" type=\"vnh\"/>"
    "<field name=\"b\" type=\"vnb\"/><field name=\"q\" type=\"vnq\"/></union>";

/// As GDB's own features/i386/64bit-sse.xml has them.
static constexpr StringRef X86VectorTypes =
    "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"
    "<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/>"
    "<vector id=\"v16i8\" type=\"int8\" count=\"16\"/>"
    "<vector id=\"v8i16\" type=\"int16\" count=\"8\"/>"
    "<vector id=\"v4i32\" type=\"int32\" count=\"4\"/>"
    "<vector id=\"v2i64\" type=\"int64\" count=\"2\"/>"
    "<union id=\"vec128\"><field name=\"v4_float\" type=\"v4f\"/>"
    "<field name=\"v2_double\" type=\"v2d\"/>"
    "<field name=\"v16_int8\" type=\"v16i8\"/>"
    "<field name=\"v8_int16\" type=\"v8i16\"/>"
    "<field name=\"v4_int32\" type=\"v4i32\"/>"
    "<field name=\"v2_int64\" type=\"v2i64\"/>"
    "<field name=\"uint128\" type=\"uint128\"/></union>";

static void describeAArch64(Writer &W) {
  W.begin("org.gnu.gdb.aarch64.core");
  W.regs("x", 31, 64);
  W.reg("sp", 64, "data_ptr");
  W.pc("pc");
  W.reg("cpsr", 32);
  W.end();
  W.begin("org.gnu.gdb.aarch64.fpu", AArch64VectorTypes);
  W.regs("v", 32, 128, "aarch64v");
  W.reg("fpsr", 32);
  W.reg("fpcr", 32);
  W.end();
}

static void describeArm(Writer &W, bool MProfile) {
  W.begin(MProfile ? "org.gnu.gdb.arm.m-profile" : "org.gnu.gdb.arm.core");
  W.regs("r", 13, 32);
  W.reg("sp", 32, "data_ptr");
  W.reg("lr", 32);
  W.pc("pc");
  W.reg(MProfile ? "xpsr" : "cpsr", 32, "", "cpsr");
  W.end();
  W.begin("org.gnu.gdb.arm.vfp");
  W.regs("d", 32, 64, "ieee_double");
  W.reg("fpscr", 32);
  W.end();
}

static void describePower(Writer &W) {
  W.begin("org.gnu.gdb.power.core");
  W.regs("r", 32, 64);
  W.pc("pc");
  W.reg("msr", 64);
  W.reg("cr", 32);
  W.reg("lr", 64, "code_ptr");
  W.reg("ctr", 64);
  W.reg("xer", 32);
  W.end();
  W.begin("org.gnu.gdb.power.fpu");
  W.regs("f", 32, 64, "ieee_double");
  W.reg("fpscr", 64);
  W.end();
}

static void describeX86(Writer &W) {
  W.begin("org.gnu.gdb.i386.core");
  for (StringRef Name : {"rax", "rbx", "rcx", "rdx", "rsi", "rdi"})
    W.reg(Name, 64);
  W.reg("rbp", 64, "data_ptr");
  W.reg("rsp", 64, "data_ptr");
  for (unsigned N = 8; N < 16; ++N)
    W.reg("r" + Twine(N), 64);
  W.pc("rip");
  W.reg("eflags", 32);
  for (StringRef Name : {"cs", "ss", "ds", "es", "fs", "gs"})
    W.reg(Name, 32);
  W.regs("st", 8, 80, "i387_ext");
  for (StringRef Name :
       {"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"})
    W.reg(Name, 32);
  W.end();
  W.begin("org.gnu.gdb.i386.sse", X86VectorTypes);
  W.regs("xmm", 16, 128, "vec128");
  W.reg("mxcsr", 32);
  W.end();
  W.begin("org.gnu.gdb.i386.segments");
  W.reg("fs_base", 64);
  W.reg("gs_base", 64);
  W.end();
}

GDBDescription rw::describeForGDB(const TraceStore &Store, bool MProfile) {
  Writer W(Store);
  switch (Store.header().Architecture) {
  case Arch::AArch64:
    describeAArch64(W);
    break;
  case Arch::Arm:
    describeArm(W, MProfile);
    break;
  case Arch::PPC64:
  case Arch::PPC64LE:
    describePower(W);
    break;
  case Arch::X86_64:
    describeX86(W);
    break;
  case Arch::Unknown:
    break;
  }
  W.rest();
  return W.finish();
}
