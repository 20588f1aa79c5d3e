//===- Mutants.cpp - Asks files that lie, and counts what breaks ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   rewind-mutants store|layers|image <count> <store>... [--seed n]
//                  [--seconds n] [--megabytes n] [--only n] [--image elf]
//
// Changes stores, or the layers of stores (<store>.htr, made if there are
// none), or the image, and asks the mutants everything. The asking is done by
// children: one that dies is a crash, one that takes more than so many seconds
// of processor time (or twenty times as long in all) for a mutant a hang, one
// that takes more memory ends, too. Each is told with the seed that makes it
// again
// (--only). Exit status 1 if there was any.
//
// Instead of a store's path, "random:<n>" is a random trace with threads and
// gaps.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "Questions.h"
#include "commands/lvalues/ImageSession.h"
#include "commands/support/Options.h"
#include "core/calls/CallRecogniser.h"
#include "core/htr/HtrRun.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "test/unit/store/AskAnything.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <atomic>
#include <csignal>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace rw;

namespace {

struct Plan {
  bool OfLayers = false, OfImage = false;
  uint64_t Count = 0, Seed = 1, Seconds = 20, Megabytes = 4096;
  std::optional<uint64_t> Only;
  std::vector<std::string> Stores;
  std::string Image;
};

/// A good file that mutants are made of.
struct Original {
  std::string Path, Store, Layers, Image;
  ImageNames Names;
};

/// What a child tells its parent while it works.
struct Progress {
  std::atomic<uint64_t> Next, Opened, PeakKilobytes;
  char Doing[400];
};

[[noreturn]] void fail(const Twine &Why) {
  errs() << "rewind-mutants: " << Why << "\n";
  exit(2);
}

std::string contents(const Twine &Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    fail("cannot read " + Path + ": " + Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

void write(const std::string &Path, StringRef Bytes) {
  std::error_code Code;
  raw_fd_ostream Out(Path, Code);
  if (Code)
    fail("cannot write " + Path + ": " + Code.message());
  Out << Bytes;
}

/// A trace of our own, with everything in it that a store can hold.
void makeRandom(const std::string &Path, uint64_t Seed) {
  TraceKnobs K = randomKnobs(Seed, 3000);
  K.Threads = unsigned(1 + Seed % 4);
  K.Events = 0.02;
  auto Builder = StoreBuilder::create(Path, SourceStamp(), {});
  if (!Builder)
    fail(toString(Builder.takeError()));
  CallRecogniser Calls;
  (*Builder)->addObserver(Calls);
  if (Error E = RandomTrace(K, Seed).feed(**Builder, BatchCut()))
    fail(toString(std::move(E)));
}

Original load(const Plan &P, StringRef Named, const Twine &Folder, size_t I) {
  Original O;
  O.Path = (Folder + "/good" + Twine(I) + ".rewind").str();
  if (StringRef Seed = Named; Seed.consume_front("random:")) {
    makeRandom(O.Path, parseNumber(Seed).value_or(1));
  } else {
    write(O.Path, contents(Named));
  }
  O.Store = contents(O.Path);
  if (P.OfImage) {
    O.Image = contents(P.Image);
    O.Names = namesOf(P.Image);
  }
  if (!P.OfLayers)
    return O;
  auto Store = TraceStore::open(O.Path);
  if (!Store)
    fail("cannot open " + Named);
  htr::RunOptions Options;
  if (I % 3 == 1) {
    Options.Passes.Similar = true;
    Options.Passes.Recursion = 5;
  }
  if (I % 3 == 2)
    Options.Pipeline = "bsb,functions,grammar";
  auto Run = htr::runPasses(**Store, Options);
  if (!Run)
    fail(toString(Run.takeError()));
  O.Layers = cantFail(htr::htrBytes(*Run))->getBuffer().str();
  return O;
}

/// One mutant of an image, in a child.
void tryImage(const Original &O, uint64_t Seed, const std::string &Folder,
              Progress &Shared) {
  Questioning Q;
  Q.Seed = Seed;
  Q.Folder = Folder;
  Q.StorePath = O.Path;
  const Mutant M = mutateImage(O.Image, Seed);
  Q.Asking = [&](StringRef Doing) {
    std::string Text = M.What + ": " + Doing.str();
    strncpy(Shared.Doing, Text.c_str(), sizeof(Shared.Doing) - 1);
  };
  Q.Asking("open");
  const std::string Elf = Folder + "/mutant.elf";
  write(Elf, M.Bytes);
  auto Store = TraceStore::open(O.Path);
  if (!Store)
    fail(toString(Store.takeError()));
  raw_null_ostream Out; // what is said is not looked at
  ImageSession Of(**Store, Out);
  Of.session().Warn = [](const std::string &) {};
  if (Error E = Of.add({{Elf, std::nullopt}}, /*Force=*/true)) {
    consumeError(std::move(E));
    return;
  }
  ++Shared.Opened;
  Q.Symbols = Of.session().Symbols;
  Q.Expressions = Of.session().Expressions;
  askImage(**Store, Q, Elf, O.Names);
}

/// One mutant, in a child.
void tryOne(const Plan &P, const Original &O, uint64_t Seed,
            const std::string &Folder, Progress &Shared) {
  if (P.OfImage)
    return tryImage(O, Seed, Folder, Shared);
  Questioning Q;
  ElfSymbols Symbols;
  if (!P.Image.empty()) {
    if (Error E = Symbols.add(P.Image))
      fail(toString(std::move(E)));
    Q.Symbols = &Symbols;
  }
  Q.Seed = Seed;
  Q.Folder = Folder;
  Mutant M =
      P.OfLayers ? mutateLayers(O.Layers, Seed) : mutateStore(O.Store, Seed);
  auto say = [&](StringRef Doing) {
    std::string Text = M.What + ": " + Doing.str();
    strncpy(Shared.Doing, Text.c_str(), sizeof(Shared.Doing) - 1);
  };
  Q.Asking = say;
  say("open");
  Q.StorePath = P.OfLayers ? O.Path : Folder + "/mutant.rewind";
  if (!P.OfLayers)
    write(Q.StorePath, M.Bytes);
  auto Store = TraceStore::open(Q.StorePath);
  if (!Store) {
    consumeError(Store.takeError());
    return;
  }
  if (P.OfLayers) {
    write(htr::layersPath(Q.StorePath), M.Bytes);
    auto File = htr::HtrFile::open(htr::layersPath(Q.StorePath));
    if (!File) {
      consumeError(File.takeError());
      return;
    }
    ++Shared.Opened;
    askLayers(**Store, Q);
    return;
  }
  ++Shared.Opened;
  say("queries");
  askAnything(**Store, Seed, 30);
  askCommands(**Store, Q);
}

/// Works on mutants from Next on until all are done.
[[noreturn]] void child(const Plan &P, ArrayRef<Original> Originals,
                        const std::string &Folder, Progress &Shared) {
#if !LLVM_ADDRESS_SANITIZER_BUILD
  // A sanitizer's shadow is larger than any limit.
  rlimit Limit = {P.Megabytes << 20, P.Megabytes << 20};
  setrlimit(RLIMIT_AS, &Limit);
#endif
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit NoCore = {0, 0};
  setrlimit(RLIMIT_CORE, &NoCore);
  for (uint64_t I; (I = Shared.Next) < P.Count; Shared.Next = I + 1) {
    // Its own time counts, however busy the machine; one that waits ends, too.
    itimerval Limit = {{}, {time_t(P.Seconds), 0}};
    setitimer(ITIMER_PROF, &Limit, nullptr);
    alarm(unsigned(P.Seconds * 20));
    tryOne(P, Originals[I % Originals.size()], P.Seed + I, Folder, Shared);
    rusage Usage;
    getrusage(RUSAGE_SELF, &Usage);
    Shared.PeakKilobytes =
        std::max<uint64_t>(Shared.PeakKilobytes, uint64_t(Usage.ru_maxrss));
  }
  _exit(0);
}

Plan parse(int argc, char **argv) {
  Plan P;
  std::vector<std::string> Words(argv + 1, argv + argc);
  for (size_t I = 0; I < Words.size(); ++I) {
    auto value = [&] {
      if (I + 1 == Words.size())
        fail(Words[I] + " wants a value");
      return Words[++I];
    };
    auto number = [&] {
      std::string Name = Words[I], Text = value();
      auto N = parseNumber(Text);
      if (!N)
        fail("'" + Text + "' of " + Name + " is no number");
      return *N;
    };
    if (Words[I] == "--seed")
      P.Seed = number();
    else if (Words[I] == "--seconds")
      P.Seconds = number();
    else if (Words[I] == "--megabytes")
      P.Megabytes = number();
    else if (Words[I] == "--only")
      P.Only = number();
    else if (Words[I] == "--image")
      P.Image = value();
    else
      P.Stores.push_back(Words[I]);
  }
  if (P.Stores.size() < 3 ||
      !is_contained({"store", "layers", "image"}, StringRef(P.Stores[0])))
    fail("usage: rewind-mutants store|layers|image <count> <store>... "
         "[options]");
  P.OfLayers = P.Stores[0] == "layers";
  P.OfImage = P.Stores[0] == "image";
  if (P.OfImage && P.Image.empty())
    fail("mutants of an image want --image");
  P.Count = parseNumber(P.Stores[1]).value_or(0);
  P.Stores.erase(P.Stores.begin(), P.Stores.begin() + 2);
  return P;
}

} // namespace

int main(int argc, char **argv) {
  Plan P = parse(argc, argv);
  for (const std::string &Name : commandsNotAsked())
    fail("the command '" + Name + "' is not asked");
  SmallString<128> Folder;
  if (std::error_code Code =
          sys::fs::createUniqueDirectory("rewind-mutants", Folder))
    fail("cannot make a folder: " + Code.message());
  const std::string In(Folder);
  std::vector<Original> Originals;
  for (size_t I = 0; I < P.Stores.size(); ++I)
    Originals.push_back(load(P, P.Stores[I], In, I));

  auto *Shared = static_cast<Progress *>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (Shared == MAP_FAILED)
    fail("no shared memory");
  uint64_t Crashes = 0, Hangs = 0;
  if (P.Only) {
    // In this process, for a debugger.
    const uint64_t I = *P.Only - P.Seed;
    tryOne(P, Originals[I % Originals.size()], *P.Only, In, *Shared);
    sys::fs::remove_directories(Folder);
    return 0;
  }
  while (Shared->Next < P.Count) {
    const pid_t Child = fork();
    if (Child < 0)
      fail("cannot fork");
    if (Child == 0)
      child(P, Originals, In, *Shared);
    int Status = 0;
    waitpid(Child, &Status, 0);
    if (WIFEXITED(Status) && WEXITSTATUS(Status) == 0)
      continue;
    const bool Hung = WIFSIGNALED(Status) && (WTERMSIG(Status) == SIGALRM ||
                                              WTERMSIG(Status) == SIGPROF);
    ++(Hung ? Hangs : Crashes);
    const uint64_t I = Shared->Next++;
    outs() << (Hung ? "hang" : "crash") << " (status " << Status << "): --only "
           << P.Seed + I << " of " << P.Stores[I % P.Stores.size()] << ": "
           << Shared->Doing << "\n";
    outs().flush();
  }
  sys::fs::remove_directories(Folder);
  outs() << P.Count << " mutants of "
         << (P.OfLayers  ? "layers"
             : P.OfImage ? "an image"
                         : "stores")
         << " tried (" << Shared->Opened << " were opened and asked), "
         << Crashes << " crashes, " << Hangs << " hangs, peak "
         << Shared->PeakKilobytes / 1024 << " MiB\n";
  return Crashes || Hangs;
}
