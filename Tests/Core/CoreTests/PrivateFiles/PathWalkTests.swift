import CommonFixtures
import Foundation
import Testing

@testable import PrivateFiles

@Suite("The way to a file")
struct PathWalkTests {
  @Test(arguments: ["\u{301}inner", "inner", "\u{FE0F}"])
  func `every folder is a place of its own, whatever character its name begins with`(name: String) throws {
    let folder = try TemporaryFolder.make()
    let inner = folder.url.appending(path: name)
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    let file = inner.path(percentEncoded: false) + "/file"
    try Data().write(to: URL(filePath: file))
    let link = folder.file("link").path(percentEncoded: false)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "./\(name)/file")
    for path in [file, link] {
      let places = try PathWalk(path).places.map { Array($0.path.utf8) }
      for wanted in [folder.url.path, folder.url.path + "/" + name, file] {
        #expect(places.contains(Array(wanted.utf8)), "\(wanted)")
      }
    }
  }
}
