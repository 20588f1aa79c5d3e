//===- Server.cpp ---------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/Server.h"
#include "commands/serve/Listener.h"
#include "commands/view/HttpGuard.h"
#include "commands/view/Message.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <fcntl.h>
#include <list>
#include <sstream>
#include <sys/random.h>
#include <unistd.h>

using namespace llvm;
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

namespace rw {

/// What may wait for a page to take it. Who takes nothing is not listened to.
static constexpr size_t MaxWaiting = 1 << 20;
static constexpr size_t MaxHeader = 16384;

// Sockets and timers that may belong to any executor take a third more time to
// compile, as does beast::tcp_stream.
using Executor = asio::io_context::executor_type;
using TcpSocket = tcp::socket::rebind_executor<Executor>::other;
using Timer = asio::steady_timer::rebind_executor<Executor>::other;

namespace {

class Connection;

/// What connections share.
struct Shared {
  ViewServer::Options Options;
  uint16_t Port = 0;
  std::string Token;
  /// Who has not said anything good yet: the oldest first.
  std::list<Connection *> Strangers;
  /// Whose request was good, and who is to tell the token: the oldest first.
  std::list<Connection *> Guests;
  std::list<Connection *> Pages; ///< who has told the token
  /// Closed, and gone with what is under way.
  std::list<Connection *> Leaving;
  std::atomic<unsigned> NumPages = 0;
  unsigned Open = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
  Connection(Shared &Of, TcpSocket Socket)
      : Of(Of), Stream(std::in_place, std::move(Socket)),
        Buffer(MaxHeader + ViewMessage::MaxBytes) {
    ++Of.Open;
    In = &Of.Strangers;
    Place = In->insert(In->end(), this);
  }
  ~Connection() {
    --Of.Open;
    In->erase(Place);
    Of.NumPages = Of.Pages.size();
  }
  void start() {
    Parser.emplace();
    Parser->header_limit(MaxHeader);
    Parser->body_limit(boost::none); // What has one is refused unread.
    closeWhenSilent();
    http::async_read_header(
        *Stream, Buffer, *Parser,
        [Me = shared_from_this()](error_code E, size_t) { Me->onRequest(E); });
  }
  /// To be called for a page that is known. Of news only the last waits for a
  /// page that takes nothing: each tells all there is.
  void tell(const std::string &Text);
  /// \p List is one of those of Shared.
  void moveTo(std::list<Connection *> &List) {
    List.splice(List.end(), *In, Place);
    In = &List;
    Of.NumPages = Of.Pages.size();
  }
  void close() {
    error_code Ignored;
    (Page ? Page->next_layer() : *Stream).close(Ignored);
  }

private:
  void onRequest(error_code E);
  void reply(unsigned Status, StringRef Type, std::string Body,
             const PageFile *File = nullptr);
  void upgrade();
  /// Once SilenceSeconds from now, unless this is called again or the page has
  /// told the token.
  void closeWhenSilent();
  bool isKnown() const { return In == &Of.Pages; } ///< it has told the token
  void send(std::string Text);
  void readNext();
  void readUnlessFull();
  void onMessage(error_code E);
  void writeNext();

  Shared &Of;
  std::optional<TcpSocket> Stream; ///< until it is a Page
  // The server agrees to no compression, whose code is an eighth of this file.
  std::optional<websocket::stream<TcpSocket, false>> Page;
  std::list<Connection *> *In; ///< one of those of Shared
  std::list<Connection *>::iterator Place;
  beast::flat_buffer Buffer;
  std::optional<http::request_parser<http::empty_body>> Parser;
  std::string Answer; ///< what is written of it
  std::deque<std::string> Waiting;
  size_t WaitingBytes = 0;
  std::string News; ///< comes after what waits; empty: none
  bool Reading = false;
  Timer Silence{Stream->get_executor()};
};

} // namespace

static HttpRequestFacts factsOf(const http::request<http::empty_body> &R,
                                bool HasBody) {
  HttpRequestFacts F;
  F.Method = std::string(R.method_string());
  F.Target = std::string(R.target());
  F.NumHosts = R.count(http::field::host);
  F.NumOrigins = R.count(http::field::origin);
  F.Host = std::string(R[http::field::host]);
  F.Origin = std::string(R[http::field::origin]);
  F.FetchSite = std::string(R["Sec-Fetch-Site"]);
  F.FetchMode = std::string(R["Sec-Fetch-Mode"]);
  F.FetchDest = std::string(R["Sec-Fetch-Dest"]);
  F.IsUpgrade = websocket::is_upgrade(R);
  F.HasBody = HasBody;
  return F;
}

void Connection::onRequest(error_code E) {
  if (E == http::error::header_limit || E == http::error::body_limit ||
      E == http::error::buffer_overflow)
    return reply(431, "text/plain", "too large");
  if (E.category() ==
          http::make_error_code(http::error::bad_method).category() &&
      E != http::error::end_of_stream && E != http::error::partial_message)
    return reply(400, "text/plain", "this is no request");
  if (E)
    return;
  bool HasBody = Parser->chunked() ||
                 (Parser->content_length() && *Parser->content_length() > 0);
  HttpRequestFacts F = factsOf(Parser->get(), HasBody);
  if (auto Refusal = refuse(F, Of.Port))
    return reply(Refusal->Status, "text/plain", Refusal->Text);
  if (F.IsUpgrade)
    return upgrade();
  for (const PageFile &File : pageFiles())
    if (F.Target == File.Path.str())
      return reply(200, File.Type, "", &File);
  reply(404, "text/plain", "there is nothing here");
}

void Connection::reply(unsigned Status, StringRef Type, std::string Body,
                       const PageFile *File) {
  bool IsHead = Parser->get().method() == http::verb::head;
  http::response<http::string_body> Response;
  Response.version(11);
  Response.result(Status);
  Response.set(http::field::content_type, std::string_view(Type));
  if (File) {
    Response.set(http::field::content_encoding, "gzip");
    Body.assign(reinterpret_cast<const char *>(File->Bytes), File->Size);
  } else {
    Body += '\n';
  }
  if (Status == 405)
    Response.set(http::field::allow, "GET, HEAD");
  if (Status == 426)
    Response.set(http::field::upgrade, "websocket");
  Response.set(http::field::cache_control, "no-store");
  Response.set("Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; "
               "connect-src 'self'; img-src 'self'; frame-ancestors 'none'; "
               "base-uri 'none'; form-action 'none'");
  Response.set("X-Content-Type-Options", "nosniff");
  Response.set("Referrer-Policy", "no-referrer");
  Response.set("Cross-Origin-Resource-Policy", "same-origin");
  Response.set("Cross-Origin-Opener-Policy", "same-origin");
  Response.content_length(Body.size());
  if (!IsHead)
    Response.body() = std::move(Body);
  Response.keep_alive(false);
  std::ostringstream Text;
  Text << Response;
  Answer = Text.str();
  closeWhenSilent();
  asio::async_write(*Stream, asio::buffer(Answer),
                    [Me = shared_from_this()](error_code, size_t) {
                      error_code Ignored;
                      Me->Stream->shutdown(TcpSocket::shutdown_send, Ignored);
                    });
}

void Connection::closeWhenSilent() {
  Silence.expires_after(std::chrono::seconds(Of.Options.SilenceSeconds));
  Silence.async_wait([Weak = weak_from_this()](error_code E) {
    auto Me = Weak.lock();
    // What was due already when the time was set anew is not cancelled.
    if (!E && Me && !Me->isKnown() &&
        Me->Silence.expiry() <= std::chrono::steady_clock::now())
      Me->close();
  });
}

void Connection::upgrade() {
  moveTo(Of.Guests);
  Page.emplace(std::move(*Stream));
  websocket::stream_base::timeout T =
      websocket::stream_base::timeout::suggested(beast::role_type::server);
  T.handshake_timeout = std::chrono::seconds(Of.Options.SilenceSeconds);
  Page->set_option(T);
  Page->read_message_max(ViewMessage::MaxBytes);
  Page->text(true);
  closeWhenSilent();
  Page->async_accept(Parser->release(),
                     [Me = shared_from_this()](error_code E) {
                       Me->Buffer.clear();
                       if (!E)
                         Me->readNext();
                     });
}

void Connection::readUnlessFull() {
  if (!Reading && WaitingBytes <= MaxWaiting)
    readNext();
}

void Connection::readNext() {
  Reading = true;
  Page->async_read(Buffer, [Me = shared_from_this()](error_code E, size_t) {
    Me->onMessage(E);
  });
}

void Connection::onMessage(error_code E) {
  Reading = false;
  if (E)
    return;
  std::string Text = beast::buffers_to_string(Buffer.data());
  Buffer.consume(Buffer.size());
  if (!isKnown()) {
    auto Token = parseViewToken(Text);
    if (!Token || !sameToken(*Token, Of.Token)) {
      Page->async_close(
          websocket::close_reason(websocket::close_code(4001), "wrong token"),
          [Me = shared_from_this()](error_code) {});
      return;
    }
    Silence.cancel();
    moveTo(Of.Pages);
    send("{\"known\":true}");
  } else {
    send(Of.Options.Answer(Text));
  }
  readUnlessFull();
}

void Connection::tell(const std::string &Text) {
  if (WaitingBytes > MaxWaiting)
    News = Text;
  else
    send(Text);
}

void Connection::send(std::string Text) {
  WaitingBytes += Text.size();
  Waiting.push_back(std::move(Text));
  if (Waiting.size() == 1)
    writeNext();
}

void Connection::writeNext() {
  Page->async_write(asio::buffer(Waiting.front()),
                    [Me = shared_from_this()](error_code E, size_t) {
                      if (E)
                        return;
                      Me->WaitingBytes -= Me->Waiting.front().size();
                      Me->Waiting.pop_front();
                      if (!Me->Waiting.empty())
                        Me->writeNext();
                      if (!Me->News.empty() && Me->WaitingBytes <= MaxWaiting)
                        Me->send(std::exchange(Me->News, {}));
                      Me->readUnlessFull();
                    });
}

struct ViewServer::Impl {
  Shared State; // Connections that end with the context leave it.
  asio::io_context Context{1};
  tcp::acceptor::rebind_executor<Executor>::other Acceptor{Context};
  Timer Later{Context};

  /// The oldest of those who say nothing goes, or of those who do not tell the
  /// token, whichever are more: none of them makes all of the others go. Who
  /// has told the token stays.
  bool makeRoom() {
    auto &From = State.Guests.size() > State.Strangers.size() ? State.Guests
                                                              : State.Strangers;
    if (From.empty())
      return false;
    Connection &First = *From.front();
    First.moveTo(State.Leaving);
    First.close();
    return true;
  }

  void accept() {
    Acceptor.async_accept([this](error_code E, TcpSocket Socket) {
      if (E == asio::error::operation_aborted)
        return;
      if (E) {
        // No file descriptor is left: some will be.
        const bool Room = makeRoom();
        Later.expires_after(std::chrono::milliseconds(Room ? 0 : 50));
        Later.async_wait([this](error_code E) {
          if (!E)
            accept();
        });
        return;
      }
      if (State.Open >= State.Options.MaxConnections)
        makeRoom();
      if (State.Open < 2 * State.Options.MaxConnections) {
        error_code Ignored;
        Socket.set_option(tcp::no_delay(true), Ignored);
        // Programs that are started meanwhile do not keep it open.
        ::fcntl(Socket.native_handle(), F_SETFD, FD_CLOEXEC);
        std::make_shared<Connection>(State, std::move(Socket))->start();
      }
      accept();
    });
  }
};

ViewServer::ViewServer() : I(std::make_unique<Impl>()) {}
ViewServer::~ViewServer() = default;

Expected<std::unique_ptr<ViewServer>> ViewServer::open(Options O) {
  std::unique_ptr<ViewServer> S(new ViewServer());
  Impl &I = *S->I;
  unsigned char Random[16];
  if (getrandom(Random, sizeof(Random), 0) != ssize_t(sizeof(Random)))
    return createStringError("the system gives no random numbers");
  I.State.Token = toHex(Random, /*LowerCase=*/true);
  auto Door = Listener::open(("127.0.0.1:" + Twine(O.Port)).str());
  if (!Door)
    return Door.takeError();
  const int Socket = (*Door)->release();
  error_code E;
  I.Acceptor.assign(tcp::v4(), Socket, E);
  if (E) {
    ::close(Socket);
    return createStringError("cannot listen on " + (*Door)->address() + ": " +
                             E.message());
  }
  I.State.Port = I.Acceptor.local_endpoint().port();
  I.State.Options = std::move(O);
  I.accept();
  return S;
}

uint16_t ViewServer::port() const { return I->State.Port; }

unsigned ViewServer::pages() const { return I->State.NumPages; }

std::string ViewServer::url() const {
  return "http://127.0.0.1:" + std::to_string(port()) + "/#t=" + I->State.Token;
}

Error ViewServer::run(const std::function<bool()> &Stop) {
  while (!Stop()) {
    I->Context.restart();
    I->Context.run_for(std::chrono::milliseconds(100));
  }
  return Error::success();
}

void ViewServer::tell(std::string Text) {
  asio::post(I->Context, [this, Text = std::move(Text)] {
    for (Connection *Page : I->State.Pages)
      Page->tell(Text);
  });
}

} // namespace rw
