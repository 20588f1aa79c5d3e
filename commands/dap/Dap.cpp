//===- Dap.cpp - rewind dap -----------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Dap.h"
#include "commands/dap/Child.h"
#include "commands/dap/Messages.h"
#include "commands/dap/Proxy.h"
#include "commands/serve/Listener.h"
#include "commands/support/Options.h"
#include "core/support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <list>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace rw {

static constexpr StringLiteral Help =
    R"(rewind dap: lldb-dap that debugs recordings, forwards and backwards in time.

It takes the place of lldb-dap: all options of that, below, are the same. A
launch or attach request with "trace" loads a recording; docs/ide.md tells more.

  --lldb-dap <path>   the lldb-dap to use (default: lldb-dap-22, lldb-dap)
  --plugin <path>     librewind-lldb.so (default: the one that belongs to this
                      program)

)";

namespace {
struct Setup {
  std::string Adapter, Plugin;
  std::vector<std::string> Words; ///< for lldb-dap
  std::string Connection;
  /// How long the server waits while there are no clients; none: for ever.
  std::optional<std::chrono::seconds> Timeout;
};
} // namespace

static Expected<std::string> findAdapter(StringRef Given) {
  if (!Given.empty()) {
    auto Found = sys::findProgramByName(Given);
    return Found ? Expected<std::string>(*Found)
                 : userError("there is no lldb-dap at " + Given);
  }
  for (StringRef Name : {"lldb-dap-22", "lldb-dap"})
    if (auto Found = sys::findProgramByName(
            Name, {sys::Process::GetEnv("PATH").value_or("")}))
      return *Found;
  if (auto Found = sys::findProgramByName("lldb-dap", {"/usr/lib/llvm-22/bin"}))
    return *Found;
  return userError("there is no lldb-dap-22 (Debian: lldb-22); --lldb-dap "
                   "<path> names another one");
}

static Expected<std::string> findPlugin(StringRef Given) {
  SmallString<256> Path(Given);
  if (Given.empty()) {
    Path = sys::fs::getMainExecutable(nullptr, nullptr);
    sys::path::remove_filename(Path);
    sys::path::append(Path, "..", "lib", "librewind-lldb.so");
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  }
  if (!sys::fs::is_regular_file(Path))
    return userError("there is no " + Path +
                     "; --plugin <path> names it, if it is elsewhere");
  return Path.str().str();
}

static Expected<Setup> understand(ArrayRef<StringRef> Words) {
  Setup S;
  std::string Adapter, Plugin;
  for (size_t I = 0; I < Words.size(); ++I) {
    // "--x=y" and "--x y", with one dash or two, as lldb-dap has them.
    auto value = [&](StringRef Name) -> std::optional<std::string> {
      StringRef Word = Words[I];
      if (!Word.consume_front("--") && !Word.consume_front("-"))
        return std::nullopt;
      if (!Word.consume_front(Name))
        return std::nullopt;
      if (Word.consume_front("="))
        return Word.str();
      if (!Word.empty() || I + 1 == Words.size())
        return std::nullopt;
      return Words[++I].str();
    };
    if (auto V = value("lldb-dap"))
      Adapter = *V;
    else if (auto V = value("plugin"))
      Plugin = *V;
    else if (auto V = value("connection"))
      S.Connection = *V;
    else if (auto V = value("connection-timeout")) {
      int32_t Seconds;
      if (StringRef(*V).getAsInteger(10, Seconds))
        return usageError("--connection-timeout: '" + *V +
                          "' is no number of seconds");
      if (Seconds > 0)
        S.Timeout = std::chrono::seconds(Seconds);
    } else
      S.Words.push_back(Words[I].str());
  }
  auto A = findAdapter(Adapter);
  if (!A)
    return A.takeError();
  S.Adapter = *A;
  S.Words.insert(S.Words.begin(), *A);
  // What is no session is lldb-dap's alone.
  auto asks = [&](std::initializer_list<StringRef> Names) {
    return any_of(S.Words, [&](StringRef W) { return is_contained(Names, W); });
  };
  const bool Explain = asks({"--help", "-help", "-h"});
  if (Explain || asks({"--version", "-version", "-v", "--launch-target",
                       "-launch-target", "--client", "-client"})) {
    if (Explain)
      outs() << Help;
    outs().flush();
    std::vector<char *> Arguments;
    for (std::string &W : S.Words)
      Arguments.push_back(W.data());
    Arguments.push_back(nullptr);
    ::execv(S.Adapter.c_str(), Arguments.data());
    return userError("cannot run " + S.Adapter);
  }
  auto P = findPlugin(Plugin);
  if (!P)
    return P.takeError();
  S.Plugin = *P;
  return S;
}

/// One client, until it or lldb-dap leaves. \p In and \p Out become ours.
static Expected<int> converse(const Setup &S, int In, int Out,
                              const std::atomic<bool> &Cancel) {
  using Clock = std::chrono::steady_clock;
  constexpr unsigned Patience = 5000; // milliseconds
  // A client that is told of the end wants to say goodbye.
  constexpr auto Grace = std::chrono::seconds(1);
  std::atomic<bool> Ended = false, Goodbye = false;
  bool Alone = false; // nobody had said goodbye when lldb-dap ended
  Clock::time_point EndedAt;
  // While messages are waited for, nothing of the proxy's is held.
  dap::Proxy *Idle = nullptr;
  const auto Self = std::this_thread::get_id();
  ByteChannel Client(In, Out, [&] {
    if (std::this_thread::get_id() == Self && Idle)
      Idle->hurry();
    return Cancel.load(std::memory_order_relaxed) ||
           (Ended && (Goodbye || Clock::now() - EndedAt > Grace));
  });
  auto Adapter = Child::start(S.Words);
  if (!Adapter)
    return Adapter.takeError();
  ByteChannel &Channel = (*Adapter)->channel();
  dap::Proxy Proxy(Client, Channel, S.Plugin);
  std::thread Listening([&] {
    std::string Problem;
    for (;;) {
      auto Message = dap::receive(Channel);
      if (!Message)
        Problem = toString(Message.takeError());
      if (!Problem.empty() || !*Message)
        break;
      Proxy.fromAdapter(std::move(**Message));
    }
    if (!Problem.empty())
      (*Adapter)->kill();
    std::string How = (*Adapter)->wait(Patience);
    Alone = Proxy.adapterEnded(Problem.empty() ? How : Problem);
    EndedAt = Clock::now();
    Ended = true;
  });
  Error Wrong = Error::success();
  for (;;) {
    Idle = &Proxy;
    auto Message = dap::receive(Client);
    Idle = nullptr;
    if (!Message) {
      Wrong = Message.takeError();
      break;
    }
    if (!*Message)
      break;
    if (Error E = dap::checkOfClient(**Message)) {
      Wrong = std::move(E);
      break;
    }
    Proxy.fromClient(std::move(**Message));
    Goodbye = Proxy.disconnecting();
  }
  // It leaves when nobody speaks to it any more.
  Proxy.leave();
  auto Wait = [](unsigned Most, function_ref<bool()> IsOver) {
    for (unsigned Waited = 0; !IsOver() && Waited < Most; Waited += 10)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  constexpr unsigned PatienceForStop = 2000;
  Wait(PatienceForStop, [&] {
    Proxy.hurry();
    return Ended || Proxy.standing();
  });
  Channel.finish();
  Wait(Patience, [&] { return bool(Ended); });
  if (!Ended)
    (*Adapter)->kill();
  Listening.join();
  if (Wrong)
    return Expected<int>(std::move(Wrong));
  if (Goodbye && !Alone)
    return 0;
  // Without a reason of its own to tell, it has still left a session.
  const int Status = (*Adapter)->exitStatus();
  return Alone && !Status ? 1 : Status;
}

/// Where \p Connection, as lldb-dap takes it, lets clients in, as a Listener is
/// told.
static Expected<std::string> listenerAddress(StringRef Connection) {
  StringRef Address = Connection;
  if (Address.consume_front("accept://") ||
      Address.consume_front("unix-accept://")) {
    // A relative one begins where a URI has its host.
    if (Address.starts_with("/"))
      return "unix:" + Address.str();
  } else if (Address.consume_front("listen://") ||
             Address.consume_front("connection://")) {
    std::string Name = Address.str();
    llvm::erase_if(Name, [](char C) { return C == '[' || C == ']'; });
    uint16_t Port;
    if (!StringRef(Name).rsplit(':').second.getAsInteger(10, Port))
      return Name;
  }
  return usageError("'" + Connection +
                    "' is neither listen://127.0.0.1:port nor accept:///path");
}

static Expected<int> serve(const Setup &S, const std::atomic<bool> &Cancel) {
  if (S.Connection.empty())
    return converse(S, fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
                    fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), Cancel);
  auto Address = listenerAddress(S.Connection);
  if (!Address)
    return Address.takeError();
  auto Door = Listener::open(*Address);
  if (!Door)
    return Door.takeError();
  // As lldb-dap says it, from which clients learn where it is.
  auto [Host, Port] = StringRef((*Door)->address()).rsplit(':');
  outs() << "Listening for: "
         << ((*Door)->isPrivate()
                 ? "unix-connect://" + (*Door)->address()
                 : ("connection://[" + Host + "]:" + Port).str())
         << "\n";
  outs().flush();
  struct Session {
    std::thread Thread;
    std::atomic<bool> Over = false;
  };
  std::list<Session> Sessions;
  auto Idle = std::chrono::steady_clock::now();
  // Asked some ten times a second.
  auto Enough = [&] {
    Sessions.remove_if([](Session &One) {
      if (One.Over)
        One.Thread.join();
      return One.Over.load();
    });
    const auto Now = std::chrono::steady_clock::now();
    if (!Sessions.empty())
      Idle = Now;
    return Cancel.load(std::memory_order_relaxed) ||
           (S.Timeout && Now - Idle >= *S.Timeout);
  };
  for (;;) {
    auto FD = (*Door)->accept(Enough);
    if (!FD || *FD < 0) {
      for (Session &One : Sessions)
        One.Thread.join();
      return FD ? Expected<int>(0) : FD.takeError();
    }
    Session &One = Sessions.emplace_back();
    One.Thread = std::thread([&S, &Cancel, &One, FD = *FD] {
      auto Result = converse(S, FD, FD, Cancel);
      if (!Result)
        errs() << "rewind: " << printableLines(toString(Result.takeError()))
               << "\n";
      One.Over = true;
    });
  }
}

Expected<int> runDap(ArrayRef<StringRef> Words,
                     const std::atomic<bool> &Cancel) {
  auto S = understand(Words);
  if (!S)
    return S.takeError();
  return serve(*S, Cancel);
}

extern const Command DapCommand = {
    .Name = "dap",
    .Summary = "Debug traces in an IDE, in the place of lldb-dap",
    .Help = R"(
A debug adapter: lldb-dap, with its options, that also loads recordings and goes
backwards in them. IDEs start it; docs/ide.md tells how an IDE is told of it.
The options are listed by

  rewind dap --help
)",
    .WithoutTrace = true,
};

} // namespace rw
