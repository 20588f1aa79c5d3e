//===- main.cpp - pt-record's command line --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/tools/pt-record/Recorder.h"
#include "llvm/Support/raw_ostream.h"
#include <getopt.h>

using namespace llvm;
using namespace rw::ptrecord;

static const char Usage[] =
    R"(usage: pt-record -o FOLDER [options] [--] <program> [arguments]

Runs an x86-64 Linux program one instruction at a time and writes what Intel PT
would have recorded of it, as a trace bundle of LLDB, with the truth beside it:

  FOLDER/trace.json    the bundle: `rewind load`, `trace load` of LLDB
  FOLDER/1001.ipt      packets of the first thread; 1002.ipt, ...
  FOLDER/1001.pcs.gz   the address of each instruction, 8 bytes little endian
  FOLDER/modules/      the program and the kernel's vdso

  -o, --output FOLDER     where to write
      --start WHERE       main (default), another function, an address 0x...,
                          or entry; it ends when that function returns
  -n, --limit N           stop after N instructions
      --copy-libraries    put shared libraries into the bundle as well
      --interrupt N       something else runs after each N instructions
      --psb BYTES         bytes between synchronisation points (default 4096)
      --psb-delay N       instructions by which they are late
      --compress-returns  a return to where the call was takes a bit
      --long-tnt          up to 47 conditional branches in a packet
      --mtc N             a packet of time every N instructions
      --no-timing         no time at all
  -h, --help              this text

No such processor is needed, only ptrace. About 40,000 instructions a second.
Exit status: 0 if the program was recorded, 1 if it was not, 2 for wrong usage.
)";

static Error usageError(const Twine &What) { return createStringError(What); }

static Error parseOptions(int Argc, char **Argv, RecordOptions &O) {
  enum { Start = 256, Copy, Interrupt, Psb, Delay, Returns, Tnt, Mtc, NoTime };
  static const option Long[] = {
      {"output", required_argument, nullptr, 'o'},
      {"start", required_argument, nullptr, Start},
      {"limit", required_argument, nullptr, 'n'},
      {"copy-libraries", no_argument, nullptr, Copy},
      {"interrupt", required_argument, nullptr, Interrupt},
      {"psb", required_argument, nullptr, Psb},
      {"psb-delay", required_argument, nullptr, Delay},
      {"compress-returns", no_argument, nullptr, Returns},
      {"long-tnt", no_argument, nullptr, Tnt},
      {"mtc", required_argument, nullptr, Mtc},
      {"no-timing", no_argument, nullptr, NoTime},
      {"help", no_argument, nullptr, 'h'},
      {nullptr, 0, nullptr, 0}};
  opterr = 0;
  Error E = Error::success();
  auto number = [&](uint64_t &N) {
    if (!E && (StringRef(optarg).getAsInteger(0, N) || !N))
      E = usageError("'" + StringRef(optarg) + "' is not a number above 0");
  };
  // "+": what follows the program belongs to the program.
  for (int C;
       !E && (C = getopt_long(Argc, Argv, "+:o:n:h", Long, nullptr)) != -1;)
    switch (C) {
    case 'o':
      O.Folder = optarg;
      break;
    case Start:
      O.Start = optarg;
      break;
    case 'n':
      number(O.Limit);
      break;
    case Copy:
      O.CopyLibraries = true;
      break;
    case Interrupt:
      number(O.InterruptPeriod);
      break;
    case Psb:
      number(O.Packets.PsbPeriod);
      break;
    case Delay:
      number(O.Packets.PsbDelay);
      break;
    case Returns:
      O.Packets.CompressReturns = true;
      break;
    case Tnt:
      O.Packets.LongTnt = true;
      break;
    case Mtc:
      number(O.Packets.MtcPeriod);
      break;
    case NoTime:
      O.Packets.Timing = false;
      break;
    case 'h':
      outs() << Usage;
      exit(0);
    case ':':
      return usageError("a value is missing after '" +
                        StringRef(Argv[optind - 1]) + "'");
    default:
      return usageError("there is no option '" + StringRef(Argv[optind - 1]) +
                        "'");
    }
  O.Command.assign(Argv + optind, Argv + Argc);
  if (!E && O.Folder.empty())
    E = usageError("-o FOLDER is missing");
  if (!E && O.Command.empty())
    E = usageError("the program is missing");
  return E;
}

int main(int Argc, char **Argv) {
  RecordOptions O;
  if (Error E = parseOptions(Argc, Argv, O)) {
    errs() << "pt-record: " << toString(std::move(E))
           << " (pt-record --help tells more)\n";
    return 2;
  }
  Recorder R(O);
  if (Error E = R.run()) {
    errs() << "pt-record: " << toString(std::move(E)) << '\n';
    return 1;
  }
  for (const auto &[Number, T] : R.threads())
    outs() << "thread " << Number << ": " << T.Instructions << " instructions, "
           << T.Bytes << " bytes, " << T.SyncPoints
           << " synchronisation points\n";
  return 0;
}
