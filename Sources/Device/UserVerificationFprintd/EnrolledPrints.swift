#if os(Linux)
  internal import Foundation
  internal import UserVerification

  /// The prints that fprintd has stored for the current user.
  struct EnrolledPrints: Sendable {
    /// The largest number of files: more than ten fingers on each of several readers.
    private static let maximumFiles = 100
    private static let maximumBytes = 1 << 20

    /// fprintd's folder, which has a folder for each user.
    let folder: URL

    /// The relative path and the content of each file, in the order of the paths.
    ///
    /// - Throws: ``UserVerificationError/unavailable(_:)`` when one cannot be read.
    func contents() throws -> [[UInt8]] {
      let home = folder.appending(path: NSUserName())
      do {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: home.path(percentEncoded: false))
          .sorted()
        var contents: [[UInt8]] = []
        for path in paths {
          let file = home.appending(path: path)
          let values = try file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
          guard values.isRegularFile == true else { continue }
          guard contents.count < 2 * Self.maximumFiles, values.fileSize ?? 0 <= Self.maximumBytes else {
            throw CocoaError(.fileReadTooLarge)
          }
          contents += [Array(path.utf8), Array(try Data(contentsOf: file))]
        }
        return contents
      } catch {
        throw UserVerificationError.unavailable(
          "the enrolled prints in \(home.path(percentEncoded: false)) cannot be read (\(error.localizedDescription))"
        )
      }
    }
  }
#endif
