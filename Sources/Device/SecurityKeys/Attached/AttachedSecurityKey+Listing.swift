#if os(Linux)
  package import Foundation
  internal import PrivateFiles

  extension AttachedSecurityKey {
    /// The largest number of files to look at: a machine has a handful.
    private static let maximumFiles = 256
    private static let maximumNameCharacters = 100

    /// The security keys that are plugged in, in the order of the kernel's numbers.
    ///
    /// Reads the kernel's own description of each device instead of libfido2's list. That list leaves out devices that this user may not
    /// open, and the person would not learn why their key is not found.
    ///
    /// - Parameters:
    ///   - system: Where the kernel describes devices with reports.
    ///   - devices: The folder of the devices' files.
    package static func all(
      system: URL = URL(filePath: "/sys/class/hidraw", directoryHint: .isDirectory), devices: String = "/dev"
    ) -> [AttachedSecurityKey] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: system.path)) ?? []
      let numbers = names.prefix(maximumFiles).compactMap {
        $0.hasPrefix("hidraw") ? UInt16($0.dropFirst(6)) : nil
      }
      return numbers.sorted().compactMap { number -> AttachedSecurityKey? in
        let folder = system.appending(path: "hidraw\(number)/device")
        guard
          let descriptor = try? folder.appending(path: "report_descriptor").bytes(
            atMost: ReportDescriptor.maximumBytes),
          ReportDescriptor.isSecurityKey(Array(descriptor))
        else { return nil }
        let path = "\(devices)/hidraw\(number)"
        let facts = (try? folder.appending(path: "uevent").bytes(atMost: 4096)) ?? []
        let text = String(decoding: facts, as: UTF8.self)
        return AttachedSecurityKey(path: path, description: text, isPermitted: access(path, R_OK | W_OK) == 0)
      }
    }

    /// - Parameter description: The kernel's lines, such as `HID_ID=0003:00001050:00000407` and `HID_NAME=Yubico YubiKey`.
    private init(path: String, description: String, isPermitted: Bool) {
      var facts: [Substring: Substring] = [:]
      for line in description.split(whereSeparator: \.isNewline) {
        guard let end = line.firstIndex(of: "=") else { continue }
        facts[line[..<end]] = line[line.index(after: end)...]
      }
      let numbers = (facts["HID_ID"] ?? "").split(separator: ":").map { UInt16($0.suffix(4), radix: 16) ?? 0 }
      let shown = (facts["HID_NAME"] ?? "").unicodeScalars.filter { $0.properties.generalCategory.isShown }
      let name = String(String.UnicodeScalarView(shown)).prefix(Self.maximumNameCharacters)
      self.init(
        path: path, name: name.isEmpty ? "without a name" : String(name),
        vendor: numbers.count == 3 ? numbers[1] : 0,
        product: numbers.count == 3 ? numbers[2] : 0, isPermitted: isPermitted)
    }
  }

  extension Unicode.GeneralCategory {
    /// Whether characters of this category are visible and do not change how others are shown.
    fileprivate var isShown: Bool {
      switch self {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }
#endif
