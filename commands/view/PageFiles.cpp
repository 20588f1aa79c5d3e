//===- PageFiles.cpp - The page, as part of the program -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/Server.h"

namespace rw {

#include "PageBytes.inc"

llvm::ArrayRef<PageFile> pageFiles() {
  static constexpr PageFile Files[] = {
      {"/", "text/html; charset=utf-8", index_html, sizeof(index_html)},
      {"/page.js", "text/javascript; charset=utf-8", page_js, sizeof(page_js)},
      {"/page.css", "text/css; charset=utf-8", page_css, sizeof(page_css)},
      {"/favicon.svg", "image/svg+xml", favicon_svg, sizeof(favicon_svg)},
  };
  return Files;
}

} // namespace rw
