import Foundation

extension FuzzTarget {
  /// A server's options for WebAuthn, as apps get them: bounded, and the same after writing and reading them again.
  static let fidoOptions = FuzzTarget { bytes in
    guard let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] else {
      return
    }
    let reader = OptionsReader(object: object)
    for options in [try? RegistrationOptions(dictionary: object), try? reader.registrationOptions()] {
      guard let options else { continue }
      expect(
        (1...OptionsReader.maximumChallengeBytes).contains(options.challenge.count), "a challenge is too long"
      )
      expect(
        options.excludeCredentials.count <= OptionsReader.maximumDescriptors, "there are too many credentials"
      )
      expect((try? RegistrationOptions(dictionary: options.dictionary)) == options, "options change")
    }
    for options in [try? AuthenticationOptions(dictionary: object), try? reader.authenticationOptions()] {
      guard let options else { continue }
      expect(
        options.allowCredentials.allSatisfy { (1...OptionsReader.maximumIDBytes).contains($0.count) },
        "an id is too long")
      expect((try? AuthenticationOptions(dictionary: options.dictionary)) == options, "options change")
    }
    _ = reader.creationDictionary
  }
}
