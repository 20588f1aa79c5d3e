//===- InputStream.cpp - Bytes of a trace file ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/InputStream.h"
#include "core/formats/Decompressor.h"
#include "core/support/InputFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace rw {

static constexpr size_t RawBytes = 256 << 10;

struct InputStream::Impl {
  std::string Path;
  int FD = -1;
  bool Regular = false;
  uint64_t Total = 0;
  const std::atomic<bool> *Cancel = nullptr;

  std::vector<uint8_t> Raw; ///< read from the file, not yet decompressed
  size_t RawPos = 0, RawEnd = 0;
  uint64_t RawDone = 0; ///< bytes of the file read into Raw or to the caller
  bool RawEof = false;

  std::unique_ptr<Decompressor> Codec;
  std::vector<uint8_t> Head; ///< peeked bytes that read() delivers first
  size_t HeadPos = 0;

  ~Impl() {
    if (FD > 0)
      ::close(FD);
  }

  llvm::Error error(std::error_code EC, const llvm::Twine &What) const {
    return llvm::createStringError(EC, "'" + Path + "': " + What);
  }

  /// One read(2); 0 is the end of the file.
  llvm::Expected<size_t> readFile(void *Out, size_t Size);
  llvm::Error fillRaw();
  llvm::Expected<size_t> produce(char *Out, size_t Size);
};

llvm::Expected<size_t> InputStream::Impl::readFile(void *Out, size_t Size) {
  for (;;) {
    if (Cancel && Cancel->load(std::memory_order_relaxed))
      return error(std::make_error_code(std::errc::interrupted),
                   "reading was interrupted");
    if (!Regular) {
      // A pipe may stay silent for long: wake up to look at Cancel.
      pollfd P = {FD, POLLIN, 0};
      int Ready = ::poll(&P, 1, 100);
      if (Ready == 0 || (Ready < 0 && errno == EINTR))
        continue;
    }
    ssize_t N = ::read(FD, Out, Size);
    if (N >= 0) {
      RawDone += N;
      return size_t(N);
    }
    if (errno != EINTR && errno != EAGAIN)
      return error(llvm::errnoAsErrorCode(),
                   llvm::Twine("cannot read: ") + std::strerror(errno));
  }
}

llvm::Error InputStream::Impl::fillRaw() {
  if (Raw.empty())
    Raw.resize(RawBytes);
  if (RawPos == RawEnd)
    RawPos = RawEnd = 0;
  llvm::Expected<size_t> N = readFile(Raw.data() + RawEnd, Raw.size() - RawEnd);
  if (!N)
    return N.takeError();
  RawEof = *N == 0;
  RawEnd += *N;
  return llvm::Error::success();
}

llvm::Expected<size_t> InputStream::Impl::produce(char *Out, size_t Size) {
  size_t Done = 0;
  while (Done < Size) {
    if (!Codec) {
      if (RawPos < RawEnd) { // what was read to recognise the compression
        size_t N = std::min(Size - Done, RawEnd - RawPos);
        std::memcpy(Out + Done, Raw.data() + RawPos, N);
        RawPos += N;
        Done += N;
        continue;
      }
      llvm::Expected<size_t> N = readFile(Out + Done, Size - Done);
      if (!N)
        return N.takeError();
      if (*N == 0)
        break;
      Done += *N;
      continue;
    }
    if (RawPos == RawEnd && !RawEof)
      if (llvm::Error E = fillRaw())
        return E;
    Decompressor::Step S =
        Codec->run(llvm::ArrayRef(Raw.data() + RawPos, RawEnd - RawPos), RawEof,
                   llvm::MutableArrayRef(
                       reinterpret_cast<uint8_t *>(Out) + Done, Size - Done));
    RawPos += S.Consumed;
    Done += S.Produced;
    if (S.Problem)
      return error(
          std::make_error_code(std::errc::illegal_byte_sequence),
          llvm::Twine("damaged ") + Codec->name() + " data near byte " +
              llvm::Twine(RawDone - (RawEnd - RawPos)) + ": " + S.Problem);
    if (S.Finished)
      break;
  }
  return Done;
}

InputStream::InputStream() : I(std::make_unique<Impl>()) {}
InputStream::~InputStream() = default;

llvm::Expected<std::unique_ptr<InputStream>>
InputStream::open(llvm::StringRef Path, const std::atomic<bool> *Cancel) {
  std::unique_ptr<InputStream> S(new InputStream);
  Impl &I = *S->I;
  I.Path = Path == "-" ? "<standard input>" : Path.str();
  I.Cancel = Cancel;
  // O_NONBLOCK: opening a pipe would wait for its writer.
  I.FD = Path == "-" ? 0
                     : ::open(I.Path.c_str(),
                              O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (I.FD < 0)
    return I.error(llvm::errnoAsErrorCode(),
                   llvm::Twine("cannot open: ") + std::strerror(errno));
  struct stat St;
  if (::fstat(I.FD, &St) != 0)
    return I.error(llvm::errnoAsErrorCode(),
                   llvm::Twine("cannot examine: ") + std::strerror(errno));
  if (S_ISDIR(St.st_mode))
    return I.error(std::make_error_code(std::errc::is_a_directory),
                   "is a directory, not a trace file");
  const llvm::StringRef Kind = endlessKind(I.FD, St.st_mode);
  I.Regular = Kind.empty();
  if (!I.Regular && Path != "-")
    return I.error(std::make_error_code(std::errc::invalid_argument),
                   "is " + Kind +
                       ", not a regular file; what is no file is read from "
                       "standard input (-)");
  if (I.Regular) {
    I.Total = St.st_size;
    ::posix_fadvise(I.FD, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  // Six bytes recognise every codec; a pipe may deliver them one by one.
  while (I.RawEnd < 6 && !I.RawEof)
    if (llvm::Error E = I.fillRaw())
      return E;
  I.Codec = Decompressor::recognise(llvm::ArrayRef(I.Raw.data(), I.RawEnd));
  return S;
}

llvm::Expected<llvm::ArrayRef<uint8_t>> InputStream::peek(size_t Size) {
  if (I->Head.size() < Size) {
    size_t Old = I->Head.size();
    I->Head.resize(Size);
    llvm::Expected<size_t> N =
        I->produce(reinterpret_cast<char *>(I->Head.data()) + Old, Size - Old);
    if (!N)
      return N.takeError();
    I->Head.resize(Old + *N);
  }
  return llvm::ArrayRef(I->Head).take_front(Size);
}

llvm::Expected<size_t> InputStream::read(llvm::MutableArrayRef<char> Out) {
  size_t Done = std::min(Out.size(), I->Head.size() - I->HeadPos);
  if (Done) {
    std::memcpy(Out.data(), I->Head.data() + I->HeadPos, Done);
    I->HeadPos += Done;
    if (I->HeadPos == I->Head.size()) {
      I->Head = {};
      I->HeadPos = 0;
    }
  }
  if (Done == Out.size())
    return Done;
  llvm::Expected<size_t> N = I->produce(Out.data() + Done, Out.size() - Done);
  if (!N)
    return N.takeError();
  return Done + *N;
}

llvm::StringRef InputStream::name() const { return I->Path; }
uint64_t InputStream::bytesDone() const {
  return I->RawDone - (I->RawEnd - I->RawPos);
}
uint64_t InputStream::bytesTotal() const { return I->Total; }
llvm::StringRef InputStream::compression() const {
  return I->Codec ? I->Codec->name() : llvm::StringRef();
}
bool InputStream::isRegular() const { return I->Regular; }
bool InputStream::isSeekable() const { return I->Regular && !I->Codec; }

} // namespace rw
