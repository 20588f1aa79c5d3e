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
      {"/", "text/html; charset=utf-8", index_html_gz, sizeof(index_html_gz)},
      {"/page.js", "text/javascript; charset=utf-8", page_js_gz,
       sizeof(page_js_gz)},
      {"/page.css", "text/css; charset=utf-8", page_css_gz,
       sizeof(page_css_gz)},
      {"/favicon.svg", "image/svg+xml", favicon_svg_gz, sizeof(favicon_svg_gz)},
  };
  return Files;
}

} // namespace rw
