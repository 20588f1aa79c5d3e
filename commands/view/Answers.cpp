//===- Answers.cpp --------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/Answers.h"
#include "commands/support/Bookmarks.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace rw {

ViewAnswers::ViewAnswers(Session &Trace)
    : Trace(Trace), S(Trace.Store, Out, Memory) {
  S.TracePath = Trace.TracePath;
  S.StorePath = Trace.StorePath;
  S.Images = Trace.Images;
  S.Symbols = Trace.Symbols;
  S.MovedSource = Trace.MovedSource;
  S.Expressions = Trace.Expressions;
  S.Watch.Cancel = Trace.Watch.Cancel;
  S.Watch.Interrupted = Trace.Watch.Interrupted;
  S.Here = {};
}

Expected<std::unique_ptr<ViewAnswers>> ViewAnswers::open(Session &Trace) {
  std::unique_ptr<ViewAnswers> V(new ViewAnswers(Trace));
  auto Index = CallIndex::open(Trace.Store);
  if (!Index)
    return Index.takeError();
  if ((*Index)->size())
    V->Calls = std::move(*Index);
  V->Names = sessionNames(V->S);
  if (V->S.StorePath.empty()) {
    V->WhyNoHtr = "the store has no file to keep them by";
    return V;
  }
  auto Layers = htr::openLayers(Trace.Store, V->S.StorePath, V->WhyNoHtr);
  if (!Layers)
    return Layers.takeError();
  V->Htr = std::move(*Layers);
  return V;
}

Expected<ThreadIndex> ViewAnswers::thread(const ViewFields &F, StringRef Name,
                                          ThreadIndex Else) const {
  auto T = F.numberOr(Name, S.Store.numThreads(), Else + 1);
  if (!T)
    return T.takeError();
  if (!*T || *T > S.Store.numThreads())
    return userError("there is no thread " + Twine(*T));
  return ThreadIndex(*T - 1);
}

Expected<Position> ViewAnswers::position(const ViewFields &F, StringRef Name,
                                         ThreadIndex T) const {
  return F.number(Name, S.Store.numInstructions(T));
}

Expected<uint64_t> ViewAnswers::addressOf(Place Here, StringRef Text) {
  auto Addr = parseAddress(S, Here, Text);
  if (Addr)
    return Addr;
  auto L = parseLocation(S, Here, Text, std::nullopt);
  if (!L || L->Where != Location::Memory) {
    if (!L)
      consumeError(L.takeError());
    return Addr.takeError();
  }
  consumeError(Addr.takeError());
  return L->Addr;
}

Expected<ViewAnswers::Asked> ViewAnswers::asked(const ViewFields &F) const {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto At = position(F, "at", *T);
  if (!At)
    return At.takeError();
  auto When = S.Store.momentOf(*T, *At);
  if (!When)
    return When.takeError();
  return Asked{*T, *At, *When};
}

json::Object ViewAnswers::answer(const ViewMessage::Question &Q) {
  Reply R = reply(Q);
  if (R.ListName.empty())
    return std::move(R.Fields);
  auto List = json::parse(R.List);
  if (!List)
    return json::Object{{"error", json::fixUTF8(toString(List.takeError()))}};
  R.Fields[R.ListName] = std::move(*List);
  return std::move(R.Fields);
}

ViewAnswers::Reply ViewAnswers::reply(const ViewMessage::Question &Q) {
  static constexpr std::pair<StringLiteral, Method> Methods[] = {
      {"hello", &ViewAnswers::hello},
      {"where", &ViewAnswers::where},
      {"resolve", &ViewAnswers::resolve},
      {"event", &ViewAnswers::event},
      {"stack", &ViewAnswers::stack},
      {"source", &ViewAnswers::source},
      {"go", &ViewAnswers::go},
      {"moment", &ViewAnswers::moment},
      {"symbol", &ViewAnswers::symbol},
      {"complete", &ViewAnswers::complete},
      {"rows", &ViewAnswers::rows},
      {"fold", &ViewAnswers::fold},
      {"registers", &ViewAnswers::registers},
      {"memory", &ViewAnswers::memory},
      {"timeline", &ViewAnswers::timeline},
      {"layers", &ViewAnswers::layers},
      {"marks", &ViewAnswers::marks},
      {"meanwhile", &ViewAnswers::meanwhile},
      {"activation", &ViewAnswers::activation},
      {"writes-before", &ViewAnswers::writesBefore},
      {"calls-before", &ViewAnswers::callsBefore},
  };
  std::optional<Reply> Result;
  Error E = guarded([&]() -> Error {
    const auto *M =
        find_if(Methods, [&](const auto &M) { return M.first == Q.What; });
    Answer A = M != std::end(Methods) ? (this->*M->second)(Q.Fields)
                                      : command(Q.What, Q.Fields);
    if (!A)
      return A.takeError();
    Result = std::move(*A);
    return Error::success();
  });
  if (!E)
    return std::move(*Result);
  return json::Object{{"error", json::fixUTF8(toString(std::move(E)))}};
}

static void print(json::OStream &J, ViewAnswers::Reply R) {
  J.object([&] {
    for (auto &[Name, Value] : R.Fields)
      J.attribute(Name, Value);
    if (!R.ListName.empty()) {
      J.attributeBegin(R.ListName);
      J.rawValue(R.List);
      J.attributeEnd();
    }
  });
}

/// Another one whenever anybody has changed the bookmarks.
std::string ViewAnswers::bookmarksRevision() const {
  sys::fs::file_status File;
  if (S.StorePath.empty() ||
      sys::fs::status(bookmarksPath(S.StorePath), File) ||
      !sys::fs::exists(File))
    return "none";
  return utostr(File.getUniqueID().getFile()) + "." +
         utostr(File.getLastModificationTime().time_since_epoch().count()) +
         "." + utostr(File.getSize());
}

std::string ViewAnswers::answer(StringRef Message) {
  /// After this, questions of the same message are refused.
  static constexpr size_t MaxReply = 4 << 20;
  ViewMessage M;
  Error Wrong = parseViewMessage(Message, M);
  // The revision is from before its list was read: no change is missed.
  std::string Revision = bookmarksRevision();
  std::string Text;
  raw_string_ostream OS(Text);
  OS.SetBufferSize(1 << 14); // without one, each token is appended by itself
  json::OStream J(OS);
  J.object([&] {
    if (M.Number)
      J.attribute("n", *M.Number);
    if (Wrong)
      J.attribute("error", json::fixUTF8(toString(std::move(Wrong))));
    else
      J.attributeArray("answers", [&] {
        for (const ViewMessage::Question &Q : M.Ask) {
          OS.flush();
          print(J, Text.size() <= MaxReply
                       ? reply(Q)
                       : json::Object{{"error",
                                       "the answers before this one fill the "
                                       "message: ask again"}});
        }
      });
    if (none_of(M.Ask, [](const ViewMessage::Question &Q) {
          return Q.What == "bookmarks";
        }))
      Revision = bookmarksRevision();
    J.attribute("bookmarks", Revision);
  });
  OS.flush();
  return Text;
}

} // namespace rw
