import PushFormats

extension FuzzTarget {
  /// An enrolment address and the address of a server: written again they are the same.
  static let pushURI = FuzzTarget(text: { text in
    if let url = try? PushServerURL(text) {
      expect((try? PushServerURL(url.description)) == url, "a server's address changes")
      // An action may make it longer than an address may be.
      let acting = url.with(action: "a b&c")
      expect(
        acting.utf8.count > 2048 || (try? PushServerURL(acting))?.endpoint == url.endpoint,
        "an endpoint changes")
      expect(!url.host.isEmpty && !url.host.contains("@"), "a server's address has a user")
    }
    guard let enrolment = try? PushEnrolmentURI(parsing: text) else { return }
    expect(text.utf8.count <= PushFormatLimits.uriBytes, "a long address is read")
    let written = enrolment.uri()
    guard written.utf8.count <= PushFormatLimits.uriBytes else { return }
    let again = try? PushEnrolmentURI(parsing: written)
    expect(again.map(Parts.init) == Parts(enrolment), "an enrolment changes: \(written)")
    expect(again?.ignoredParameters.isEmpty == true, "what was written is ignored")
    let exported = try? PushEnrolmentURI(parsing: enrolment.exportURI)
    expect(
      exported?.secret == enrolment.secret && exported?.challenge == nil, "an export is another enrolment's")
    expect(exported.flatMap { try? PushEnrolmentURI(parsing: $0.exportURI) } == exported, "an export changes")
  })

  /// All of an enrolment but what could not be read.
  private struct Parts: Equatable {
    let names: [String?]
    let addresses: [PushServerURL]
    let secret: PushSecret
    let challenge: PushChallenge?

    init(_ enrolment: PushEnrolmentURI) {
      names = [
        enrolment.issuer, enrolment.accountName, enrolment.loadBalancer, enrolment.messageID,
        enrolment.userID,
        enrolment.resourceID, enrolment.imageURL, enrolment.backgroundColor, enrolment.policies,
      ]
      addresses = [enrolment.registrationURL, enrolment.authenticationURL]
      (secret, challenge) = (enrolment.secret, enrolment.challenge)
    }
  }
}
