//===- CapstoneTest.cpp - A second opinion about x86-64 code --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks Capstone what X86Decoder says of the code of libraries that are on this
// machine. Where they differ, the list below says who is right and why; what is
// not on it is an error.
//
//===----------------------------------------------------------------------===//

#include "core/arch/X86Decoder.h"
#include "test/unit/support/TestData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"
#include <capstone/capstone.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace llvm;

namespace rw {
namespace {

struct Known {
  StringLiteral Why;
  StringLiteral Deviations; ///< "+": only X86Decoder says so; "-": only
                            ///< Capstone does; separated by commas
  StringLiteral Mnemonics;  ///< Capstone's, without prefixes; "f*": that begin
                            ///< with f
};
constexpr Known Deviations[] = {
    {"Capstone does not tell what is written on the x87 stack",
     "writes +x87,writes +operand 1", "f*"},
    {"fstp st(0) and ffreep st(0) are said to look at the top",
     "reads +operand 1", "fstp ffreep"},
    {"Capstone's groups lack them", "class", "loop loope loopne"},
    {"where it goes on after an abort is told by an event", "class", "xbegin"},
    {"0f b9 has a mod/rm byte", "size", "ud2b"},
    {"only rdx is written", "writes -rax", "cdq cqo cwd"},
    {"it compares", "writes -operand 1", "test"},
    {"only with a prefix", "reads -rcx,writes -rcx", "stosq"},
    {"f2 repeats like f3", "reads +rcx,writes +rcx", "movsd"},
    {"what is not written of the flags stays", "reads +rflags",
     "clc stc cli sti"},
    {"the interrupt flag", "writes +rflags", "cli sti"},
    {"the carry flag", "reads +rflags", "cmc rcl rcr"},
    {"lock makes Capstone forget what is implied",
     "writes +rax,writes +operand 2,writes +rflags", "cmpxchg xadd"},
    {"what is not written of the destination stays", "reads +operand 1",
     "adox bsf bsr cvtsd2ss cvtsi2sd cvtsi2ss cvtss2sd"},
    {"the kernel's answer; where it returns to and with which flags",
     "reads +rax,writes +rax,writes +rcx,writes +r11", "int syscall"},
    {"the stack", "reads +rsp,writes +rsp",
     "iret iretd iretq retf retfq push pop"},
    {"the stack", "writes +rsp", "lcall"},
    {"the stack", "reads +rsp,writes +rsp,reads +rbp,writes +rbp", "enter"},
    {"they come from the stack", "writes +rflags", "iret iretd iretq"},
    {"the zero flag tells whether it succeeded", "writes +rflags", "lar lsl"},
    {"al and rbx", "reads +rax,reads +rbx,writes +rax", "xlatb"},
    {"a mask is read", "reads +operand 3", "vmov*"},
    {"a mask is read", "reads +operand 4", "vp*"},
    {"Capstone takes an index of AVX-512 for a vector",
     "reads +rax,reads +rdx,reads +r9,reads -v0,reads -v2,reads -v9",
     "vpcmpeqd vpcmpneqd vpxorq"},
};

/// A register or what belongs together: Capstone does not tell parts of the
/// x87 stack. It says nothing of mxcsr and the x87 status: they are left out.
std::string family(unsigned Lane) {
  static constexpr const char *General[] = {"rax", "rbx", "rcx", "rdx",
                                            "rdi", "rsi", "rbp", "rsp"};
  if (Lane < 8)
    return General[Lane];
  if (Lane < x86::RFLAGS)
    return "r" + utostr(Lane);
  if (Lane == x86::RFLAGS)
    return "rflags";
  if (Lane >= x86::K0 && Lane < x86::ST0)
    return "k" + utostr(Lane - x86::K0);
  if (Lane >= x86::ST0 && Lane < x86::R16)
    return "x87";
  if (Lane >= x86::ZMM0)
    return "v" + utostr((Lane - x86::ZMM0) / 8);
  return ""; // left out
}

class Opinions {
public:
  Opinions() : File(Arch::X86_64, {}) {
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &Handle) != CS_ERR_OK)
      abort();
    cs_option(Handle, CS_OPT_DETAIL, CS_OPT_ON);
    Insn = cs_malloc(Handle);
  }
  ~Opinions() {
    cs_free(Insn, 1);
    cs_close(&Handle);
  }

  /// Every instruction of a section, as a disassembler would list it.
  void sweep(ArrayRef<uint8_t> Code) {
    while (!Code.empty()) {
      X86Insn X = Ours.decode(Code);
      if (!X.Size) {
        Code = Code.drop_front(1); // data, or an end that is cut off
        continue;
      }
      ArrayRef<uint8_t> Bytes = Code.take_front(X.Size);
      if (Seen.insert(toStringRef(Bytes)).second)
        compare(X, Bytes);
      Code = Code.drop_front(X.Size);
    }
  }

  size_t count() const { return Seen.size(); }
  size_t NotInCapstone = 0;
  /// Mnemonic and deviation: an example.
  std::map<std::pair<std::string, std::string>, std::string> Found;

private:
  void deviation(StringRef Text) {
    StringRef Mnemonic = Insn->mnemonic;
    // "rep stosb", "lock cmpxchg"
    if (auto Space = Mnemonic.rfind(' '); Space != StringRef::npos)
      Mnemonic = Mnemonic.drop_front(Space + 1);
    Found.try_emplace({Mnemonic.str(), Text.str()},
                      (Twine(toHex(ArrayRef(Insn->bytes, Insn->size), true)) +
                       "  " + Insn->mnemonic + " " + Insn->op_str)
                          .str());
  }

  std::string family(unsigned CapstoneRegister) const {
    StringRef Name = cs_reg_name(Handle, CapstoneRegister);
    if (Name == "rip" || Name == "eip" || Name == "riz" || Name == "eiz" ||
        Name == "fpsw" || Name == "fpcw" || Name.starts_with("cr") ||
        Name.starts_with("dr"))
      return "";
    if (Name.starts_with("st") || Name.starts_with("mm") ||
        Name.starts_with("fp"))
      return "x87";
    if (Name.consume_front("xmm") || Name.consume_front("ymm") ||
        Name.consume_front("zmm"))
      return ("v" + Name).str();
    const RegisterInfo *R = File.find(Name);
    if (!R && Name.size() > 2 && Name[0] == 'r') // r8b
      R = File.find(Name.drop_back());
    return R ? rw::family(R->Slice.Lane) : ("?" + Name).str();
  }

  void compare(const X86Insn &X, ArrayRef<uint8_t> Bytes) {
    const uint8_t *At = Bytes.data();
    size_t Left = Bytes.size();
    uint64_t Address = 0;
    if (!cs_disasm_iter(Handle, &At, &Left, &Address, Insn)) {
      ++NotInCapstone;
      return;
    }
    if (Insn->size != X.Size)
      return deviation("size");
    if (InsnClass C = classOf(*Insn); C != X.Class)
      deviation("class");
    cs_regs Reads, Writes;
    uint8_t NumReads = 0, NumWrites = 0;
    if (cs_regs_access(Handle, Insn, Reads, &NumReads, Writes, &NumWrites))
      return deviation("no registers");
    std::set<std::string> Written, Read;
    for (const RegItem &R : X.Writes)
      Written.insert(rw::family(R.Lane));
    for (LaneBytes B : X.Reads)
      Read.insert(rw::family(B.Lane));
    compare("writes", Written, ArrayRef(Writes, NumWrites));
    compare("reads", Read, ArrayRef(Reads, NumReads));
  }

  void compare(StringRef What, const std::set<std::string> &Mine,
               ArrayRef<uint16_t> Registers) {
    std::set<std::string> Other;
    for (uint16_t R : Registers)
      Other.insert(family(R));
    Other.erase("");
    for (const std::string &F : Mine)
      if (!Other.count(F) && !F.empty())
        deviation((What + " +" + general(F)).str());
    for (const std::string &F : Other)
      if (!Mine.count(F))
        deviation((What + " -" + general(F)).str());
  }

  /// Operands are called by their kind.
  std::string general(const std::string &F) const {
    const cs_x86 &X = Insn->detail->x86;
    for (unsigned I = 0; I < X.op_count; ++I)
      if (X.operands[I].type == X86_OP_REG && family(X.operands[I].reg) == F)
        return "operand " + utostr(I + 1);
    return F;
  }

  static InsnClass classOf(const cs_insn &I) {
    auto in = [&](unsigned Group) {
      return llvm::is_contained(
          ArrayRef(I.detail->groups, I.detail->groups_count), Group);
    };
    const cs_x86 &X = I.detail->x86;
    bool Direct = X.op_count && X.operands[0].type == X86_OP_IMM;
    if (in(CS_GRP_CALL))
      return Direct ? InsnClass::Call : InsnClass::IndirectCall;
    if (in(CS_GRP_RET))
      return InsnClass::Return;
    if (in(CS_GRP_IRET))
      return InsnClass::ExceptionReturn;
    if (in(CS_GRP_INT))
      return InsnClass::SystemCall;
    if (in(CS_GRP_JUMP))
      return I.id != X86_INS_JMP && I.id != X86_INS_LJMP ? InsnClass::CondBranch
             : Direct                                    ? InsnClass::Branch
                      : InsnClass::IndirectBranch;
    return InsnClass::None;
  }

  X86Decoder Ours;
  RegisterFile File;
  csh Handle;
  cs_insn *Insn;
  StringSet<> Seen;
};

bool isKnown(StringRef Mnemonic, StringRef Deviation) {
  auto lists = [](StringRef List, char Separator, StringRef Word) {
    SmallVector<StringRef, 16> Words;
    List.split(Words, Separator);
    return llvm::any_of(Words, [&](StringRef W) {
      return W.consume_back("*") ? Word.starts_with(W) : Word == W;
    });
  };
  return llvm::any_of(Deviations, [&](const Known &K) {
    return lists(K.Mnemonics, ' ', Mnemonic) &&
           lists(K.Deviations, ',', Deviation);
  });
}

TEST(Capstone, Libraries) {
  Opinions O;
  for (const char *Path :
       {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6",
        "/lib/x86_64-linux-gnu/libcrypto.so.3",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"}) {
    auto Object = object::ObjectFile::createObjectFile(Path);
    if (!Object) {
      consumeError(Object.takeError());
      continue;
    }
    for (const object::SectionRef &S : (*Object).getBinary()->sections())
      if (S.isText()) {
        auto Code = S.getContents();
        ASSERT_TRUE(bool(Code)) << toString(Code.takeError());
        O.sweep(arrayRefFromStringRef(*Code));
      }
  }
  if (!O.count())
    REWIND_SKIP("none of the libraries is on this machine");
  size_t Unknown = 0;
  for (const auto &[Key, Example] : O.Found)
    if (!isKnown(Key.first, Key.second) && ++Unknown <= 50)
      ADD_FAILURE() << Key.first << ": " << Key.second << "   (" << Example
                    << ")";
  EXPECT_EQ(Unknown, 0u);
  // It does not know some extensions.
  EXPECT_LT(O.NotInCapstone, O.count() / 20);
  std::printf("%zu different instructions; %zu Capstone does not know\n",
              O.count(), O.NotInCapstone);
}

} // namespace
} // namespace rw
