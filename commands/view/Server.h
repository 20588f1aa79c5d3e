//===- Server.h - Serves the page and answers it ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_SERVER_H
#define REWIND_COMMANDS_VIEW_SERVER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>

namespace rw {

/// A file of the page, gzipped, as it lies in the program.
struct PageFile {
  llvm::StringLiteral Path; ///< "/page.js"
  llvm::StringLiteral Type; ///< "text/javascript; charset=utf-8"
  const unsigned char *Bytes;
  size_t Size;
};
/// All of them (PageFiles.cpp).
llvm::ArrayRef<PageFile> pageFiles();

/// HTTP and WebSocket on 127.0.0.1 for the pages of one trace; see HttpGuard.h
/// for what is refused. A page gets to know the token from the fragment of its
/// URL, which browsers do not send, and tells it in its first message; before
/// that it is answered nothing. Connections that say nothing are closed after
/// some seconds, and the oldest of them at once where there are many; those
/// whose request was good, and who are about to tell the token, are not pushed
/// out by those who have said nothing. Who does
/// not read his answers is not answered more until he does: a connection holds
/// about a megabyte at most.
///
/// One thread: run() accepts, reads, answers and writes. tell() may be called
/// by others.
class ViewServer {
public:
  struct Options {
    uint16_t Port = 0; ///< 0: any that is free
    /// Answers a message. Called on the thread of run().
    std::function<std::string(llvm::StringRef)> Answer;
    unsigned MaxConnections = 256;
    unsigned SilenceSeconds = 5;
  };
  /// Listens; an Error says why not.
  static llvm::Expected<std::unique_ptr<ViewServer>> open(Options O);
  ~ViewServer();

  uint16_t port() const;
  /// "http://127.0.0.1:4711/#t=<token>"
  std::string url() const;
  /// Until \p Stop, which is asked some times a second.
  llvm::Error run(const std::function<bool()> &Stop);
  /// How many pages there are that have told the token. Any thread may ask.
  unsigned pages() const;
  /// Sends \p Text to all pages that have told the token, in the order of the
  /// calls and after what was answered before: soon, by the thread of run(). A
  /// page that does not read gets the last one only, once it does.
  void tell(std::string Text);

private:
  ViewServer();
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_COMMANDS_VIEW_SERVER_H
