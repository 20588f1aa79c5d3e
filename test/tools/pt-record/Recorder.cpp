//===- Recorder.cpp -------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/tools/pt-record/Recorder.h"
#include "test/tools/pt-record/Cpuid.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <sched.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace rw::ptrecord;

static Error failed(const Twine &What) {
  std::error_code EC(errno, std::generic_category());
  return createStringError(EC, What + ": " + EC.message());
}

static Expected<user_regs_struct> registers(pid_t Tid) {
  user_regs_struct R;
  if (ptrace(PTRACE_GETREGS, Tid, nullptr, &R))
    return failed("cannot read the registers of thread " + Twine(Tid));
  return R;
}

Recorder::~Recorder() {
  if (Pid > 0)
    kill(Pid, SIGKILL);
}

std::string Recorder::path(const Twine &Name) const {
  return (Options.Folder + "/" + Name).str();
}

Error Recorder::run() {
  if (std::error_code EC = sys::fs::create_directories(path("modules")))
    return createStringError(EC, "cannot create '" + Options.Folder +
                                     "': " + EC.message());
  if (Error E = launch())
    return E;
  if (Error E = runToStart())
    return E;
  if (Error E = copyVdso())
    return E;
  if (Error E = step())
    return E;
  return writeBundle();
}

Error Recorder::launch() {
  Pid = fork();
  if (Pid < 0)
    return failed("fork");
  if (Pid == 0) {
    std::vector<char *> Arguments;
    for (std::string &Word : Options.Command)
      Arguments.push_back(Word.data());
    Arguments.push_back(nullptr);
    personality(ADDR_NO_RANDOMIZE);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr))
      _exit(126);
    execvp(Arguments[0], Arguments.data());
    _exit(127);
  }
  int Status;
  if (waitpid(Pid, &Status, 0) != Pid)
    return failed("waitpid");
  if (!WIFSTOPPED(Status)) {
    Pid = 0;
    if (WIFEXITED(Status) && WEXITSTATUS(Status) == 126)
      return createStringError(
          "this machine does not let a process trace another (ptrace)");
    return createStringError("cannot run '" + Options.Command[0] + "'");
  }
  ptrace(PTRACE_SETOPTIONS, Pid, nullptr,
         PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
  // Both on one processor: a step is two switches, which are cheaper so.
  cpu_set_t Set;
  if (!sched_getaffinity(0, sizeof Set, &Set)) {
    int First = 0;
    while (First < CPU_SETSIZE - 1 && !CPU_ISSET(First, &Set))
      ++First;
    CPU_ZERO(&Set);
    CPU_SET(First, &Set);
    sched_setaffinity(0, sizeof Set, &Set);
    sched_setaffinity(Pid, sizeof Set, &Set);
  }
  SmallString<256> Real;
  if (std::error_code EC =
          sys::fs::real_path("/proc/" + Twine(Pid) + "/exe", Real))
    return createStringError(EC, "cannot tell what runs: " + EC.message());
  Program = Real.str().str();
  return readModules();
}

Error Recorder::readModules() {
  auto Maps = MemoryBuffer::getFileAsStream("/proc/" + Twine(Pid) + "/maps");
  if (!Maps)
    return createStringError(Maps.getError(), "cannot read the program's maps");
  std::map<StringRef, uint64_t> Lowest;
  for (line_iterator Line(**Maps); !Line.is_at_end(); ++Line) {
    // 7ffff7fc3000-7ffff7fc5000 r-xp 00000000 00:00 0      [vdso]
    auto [Range, Rest] = Line->split(' ');
    StringRef Path = Rest;
    for (int Field = 0; Field < 4; ++Field)
      Path = Path.split(' ').second;
    Path = Path.ltrim();
    if (!Path.starts_with("/") && Path != "[vdso]")
      continue;
    uint64_t Start, End, Offset;
    auto [First, Last] = Range.split('-');
    if (First.getAsInteger(16, Start) || Last.getAsInteger(16, End) ||
        Rest.split(' ').second.split(' ').first.getAsInteger(16, Offset))
      return createStringError("cannot understand '" + *Line + "'");
    Lowest.try_emplace(Path, Start);
    if (Rest[2] != 'x')
      continue;
    Module &M = Modules[Path.str()];
    M.LoadAddress = Lowest[Path];
    M.Code[Start] = {End, Offset};
  }
  return Error::success();
}

/// Where the recording begins: a symbol of the program, or what was given.
Expected<uint64_t> Recorder::startAddress() {
  uint64_t Address;
  if (StringRef(Options.Start).starts_with("0x")) {
    if (StringRef(Options.Start).getAsInteger(0, Address))
      return createStringError("'" + Options.Start + "' is not an address");
    return Address;
  }
  auto File = object::ObjectFile::createObjectFile(Program);
  if (!File)
    return File.takeError();
  auto *Elf = dyn_cast<object::ELF64LEObjectFile>(File->getBinary());
  if (!Elf)
    return createStringError("'" + Program + "' is not an ELF file of x86-64");
  uint64_t Base = 0;
  auto Headers = Elf->getELFFile().program_headers();
  if (!Headers)
    return Headers.takeError();
  for (const auto &Header : *Headers)
    if (Header.p_type == ELF::PT_LOAD) {
      Base = Header.p_vaddr & ~uint64_t(0xfff);
      break;
    }
  for (const object::ELFSymbolRef &Symbol : Elf->symbols()) {
    auto Name = Symbol.getName();
    if (!Name)
      return Name.takeError();
    auto At = Symbol.getAddress();
    if (!At)
      return At.takeError();
    if (*Name == Options.Start && *At)
      return *At - Base + Modules[Program].LoadAddress;
  }
  return createStringError("there is no symbol '" + Options.Start + "' in '" +
                           Program + "'");
}

Error Recorder::runToStart() {
  if (Options.Start == "entry")
    return addThread(Pid);
  auto Address = startAddress();
  if (!Address)
    return Address.takeError();
  errno = 0;
  long Word = ptrace(PTRACE_PEEKTEXT, Pid, *Address, nullptr);
  if (errno)
    return failed("cannot read the code at the start");
  ptrace(PTRACE_POKETEXT, Pid, *Address, (Word & ~0xffL) | 0xcc);
  ptrace(PTRACE_CONT, Pid, nullptr, nullptr);
  int Status;
  if (waitpid(Pid, &Status, 0) != Pid)
    return failed("waitpid");
  if (!WIFSTOPPED(Status))
    Pid = 0;
  if (!WIFSTOPPED(Status) || WSTOPSIG(Status) != SIGTRAP)
    return createStringError("the program never came to '" + Options.Start +
                             "'");
  ptrace(PTRACE_POKETEXT, Pid, *Address, Word);
  auto Registers = registers(Pid);
  if (!Registers)
    return Registers.takeError();
  Registers->rip = *Address;
  ptrace(PTRACE_SETREGS, Pid, nullptr, &*Registers);
  StopIP = uint64_t(ptrace(PTRACE_PEEKDATA, Pid, Registers->rsp, nullptr));
  StopSP = Registers->rsp + 8;
  if (Error E = readModules())
    return E;
  return addThread(Pid);
}

Error Recorder::addThread(pid_t Tid) {
  auto Registers = registers(Tid);
  if (!Registers)
    return Registers.takeError();
  unsigned Number = 1001 + unsigned(Threads.size() + Finished.size());
  auto Packets =
      PacketWriter::create(path(Twine(Number) + ".ipt"), Options.Packets);
  if (!Packets)
    return Packets.takeError();
  Thread &T = Threads[Tid];
  T.Number = Number;
  T.IP = Registers->rip;
  T.NextInterrupt =
      Options.InterruptPeriod ? Options.InterruptPeriod : ~uint64_t(0);
  T.Packets = std::move(*Packets);
  T.Truth = gzopen(path(Twine(Number) + ".pcs.gz").c_str(), "wb6");
  if (!T.Truth)
    return failed("cannot create the list of addresses");
  T.Packets->enable(T.IP);
  return branchAt(T.IP).takeError();
}

Expected<Branch> Recorder::branchAt(uint64_t IP) {
  auto Known = Code.find(IP);
  if (Known != Code.end())
    return Known->second;
  uint8_t Bytes[15] = {};
  iovec Local = {Bytes, sizeof Bytes};
  iovec Remote = {reinterpret_cast<void *>(IP), sizeof Bytes};
  if (process_vm_readv(Pid, &Local, 1, &Remote, 1, 0) <= 0) {
    // An instruction at the end of a mapping.
    Local.iov_len = Remote.iov_len = 4096 - (IP & 4095);
    if (Local.iov_len > sizeof Bytes ||
        process_vm_readv(Pid, &Local, 1, &Remote, 1, 0) <= 0)
      return failed("cannot read the code at 0x" + Twine::utohexstr(IP));
  }
  return Code[IP] = classify(Bytes);
}

Error Recorder::step() {
  auto goOn = [&](pid_t Tid, After Next, int Signal) -> Expected<bool> {
    auto Then = overCpuid(Tid, Next);
    if (!Then)
      return Then.takeError();
    if (*Then == After::Finish)
      return false;
    ptrace(PTRACE_SINGLESTEP, Tid, nullptr,
           *Then == After::StepWithSignal ? Signal : 0);
    return true;
  };
  Expected<bool> GoesOn = goOn(Pid, After::Step, 0);
  while (GoesOn && *GoesOn && !Threads.empty()) {
    int Status;
    pid_t Tid = waitpid(-1, &Status, __WALL);
    if (Tid < 0 && errno == EINTR)
      continue;
    if (Tid < 0)
      return failed("waitpid");
    if (WIFEXITED(Status) || WIFSIGNALED(Status)) {
      if (Tid == Pid)
        Pid = 0;
      if (Threads.count(Tid))
        if (Error E = finish(Tid, /*Exited=*/true))
          return E;
      continue;
    }
    auto Next = stopped(Tid, Status);
    if (!Next)
      return Next.takeError();
    GoesOn = goOn(Tid, *Next, WSTOPSIG(Status));
  }
  if (!GoesOn)
    return GoesOn.takeError();
  if (Pid)
    if (Error E = readModules())
      return E;
  while (!Threads.empty())
    if (Error E = finish(Threads.begin()->first, /*Exited=*/false))
      return E;
  return Error::success();
}

/// Past what is executed for a thread that would step, which then is as if it
/// had stopped behind it.
Expected<Recorder::After> Recorder::overCpuid(pid_t Tid, After Next) {
  while (Next == After::Step) {
    auto B = branchAt(Threads.at(Tid).IP);
    if (!B)
      return B.takeError();
    if (!B->IsCpuid)
      break;
    if (!executeCpuid(Tid, B->Size))
      return failed("cannot execute CPUID for thread " + Twine(Tid));
    auto Then = stopped(Tid, W_STOPCODE(SIGTRAP));
    if (!Then)
      return Then.takeError();
    Next = *Then;
  }
  return Next;
}

Expected<Recorder::After> Recorder::stopped(pid_t Tid, int Status) {
  auto Found = Threads.find(Tid);
  if (Found == Threads.end()) { // a new thread's first stop
    if (Error E = addThread(Tid))
      return E;
    return After::Step;
  }
  if (Status >> 16) // inside of the clone call
    return After::Step;
  Thread &T = Found->second;
  auto Registers = registers(Tid);
  if (!Registers)
    return Registers.takeError();
  uint64_t IP = Registers->rip;
  if (WSTOPSIG(Status) != SIGTRAP) {
    // A signal is about to be delivered. No instruction was executed, except
    // for a system call that it interrupted.
    if (IP != T.IP)
      if (Error E = stepped(Tid, T, IP))
        return E;
    T.Packets->disableBefore(T.IP);
    T.EntersHandler = true;
    return After::StepWithSignal;
  }
  if (T.EntersHandler) {
    T.EntersHandler = false;
    T.IP = IP;
    T.Packets->enable(IP);
  } else if (Error E = stepped(Tid, T, IP)) {
    return E;
  }
  if (Instructions >= Options.Limit ||
      (StopIP && IP == StopIP && Tid == Pid && Registers->rsp >= StopSP))
    return After::Finish;
  // The code has to be known if the program ends with it.
  if (Error E = branchAt(T.IP).takeError())
    return E;
  return After::Step;
}

Error Recorder::stepped(pid_t Tid, Thread &T, uint64_t IP) {
  auto B = branchAt(T.IP);
  if (!B)
    return B.takeError();
  if (B->Kind == BranchKind::RepeatedString && IP == T.IP)
    return Error::success();
  if (B->Kind == BranchKind::None && IP - T.IP - 1 >= 15)
    return createStringError("the instruction at 0x%" PRIx64
                             " is no branch, but led to 0x%" PRIx64,
                             T.IP, IP);
  retire(T, *B, IP, false);
  T.IP = IP;
  if (B->IsSystemCall) {
    auto Registers = registers(Tid);
    if (!Registers)
      return Registers.takeError();
    long Number = long(Registers->orig_rax);
    if (Number == SYS_execve)
      return createStringError("a program that calls exec cannot be recorded");
    if (Number < 0 || Number == SYS_mmap || Number == SYS_mprotect ||
        Number == SYS_munmap || Number == SYS_mremap) {
      Code.clear();
      if (Error E = readModules())
        return E;
    }
  }
  if (T.Instructions >= T.NextInterrupt) {
    T.NextInterrupt += Options.InterruptPeriod;
    T.Packets->disableBefore(T.IP);
    T.Packets->enable(T.IP);
  }
  return Error::success();
}

void Recorder::retire(Thread &T, const Branch &B, uint64_t Next, bool Exited) {
  ++T.Instructions;
  ++Instructions;
  gzwrite(T.Truth, &T.IP, sizeof T.IP);
  switch (B.Kind) {
  case BranchKind::None:
  case BranchKind::RepeatedString:
  case BranchKind::DirectJump:
    break;
  case BranchKind::Conditional:
    T.Packets->conditional(Next != T.IP + B.Size);
    break;
  case BranchKind::DirectCall:
    // A call of the next instruction is for its address; nothing returns.
    if (B.Displacement)
      T.Packets->call(T.IP + B.Size);
    break;
  case BranchKind::IndirectCall:
    T.Packets->call(T.IP + B.Size);
    [[fallthrough]];
  case BranchKind::IndirectJump:
    T.Packets->indirect(Next);
    break;
  case BranchKind::Return:
    T.Packets->returned(Next);
    break;
  case BranchKind::Far:
    T.Packets->disable();
    break;
  }
  T.Packets->retired(Next);
  if (B.Kind == BranchKind::Far && !Exited)
    T.Packets->enable(Next);
}

Error Recorder::finish(pid_t Tid, bool Exited) {
  Thread T = std::move(Threads.at(Tid));
  Threads.erase(Tid);
  // A system call that ends the thread has no stop behind it.
  auto Last = Code.find(T.IP);
  if (Exited && Last != Code.end() && Last->second.IsSystemCall)
    retire(T, Last->second, T.IP + Last->second.Size, true);
  else if (T.Packets->enabled())
    T.Packets->disableBefore(T.IP);
  Finished[T.Number] = {T.Instructions, T.Packets->numBytes(),
                        T.Packets->numSyncPoints()};
  Error E = T.Packets->finish();
  if (gzclose(T.Truth) != Z_OK)
    E = joinErrors(std::move(E),
                   createStringError("cannot write the list of addresses"));
  return E;
}
