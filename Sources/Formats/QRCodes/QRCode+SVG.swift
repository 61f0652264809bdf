extension QRCode {
  /// The code with its quiet zone as an SVG document (SVG 1.1), black on white, one user unit a module.
  ///
  /// It holds no text from outside and no script, and may be put into a page as it is.
  ///
  /// - Parameter moduleLength: Pixels along one side of a module, when the page does not say how large the code is to be.
  public func svg(moduleLength: Int = 4) -> String {
    let side = size + 2 * Self.quietZone
    let length = side * max(1, moduleLength)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="\(length)" height="\(length)" \
      viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
      <rect width="\(side)" height="\(side)" fill="#fff"/>\
      <path fill="#000" d="\(path)"/></svg>
      """
  }

  /// A rectangle for every run of dark modules in a row.
  private var path: String {
    var path = ""
    for row in 0..<size {
      var column = 0
      while column < size {
        guard isDark(column, row) else {
          column += 1
          continue
        }
        let start = column
        while isDark(column, row) { column += 1 }
        let length = column - start
        path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(length)v1h-\(length)z"
      }
    }
    return path
  }
}
