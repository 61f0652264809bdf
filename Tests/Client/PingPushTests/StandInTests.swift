import Foundation
import PingStorage
import StrictJSON
import Testing

@testable import PingPush

/// A device and a server of another make: `push_am_standin.py`.
struct StandInTests {
  /// A client with the default storage, registered with the server.
  private func withDevice(
    direct: Bool = false, _ body: (StandIn, PushClient, PushCredential) async throws -> Void
  ) async throws {
    try await StandIn.with(direct: direct) { server in
      try await withHome { home in
        let client = try await makeClient(PushKeychainStorage(home: home))
        let credential = try await client.addCredentialFromUri(try await server.enrol())
        try await body(server, client, credential)
        await client.close()
      }
    }
  }

  @Test func `a device registers, with the load balancer's cookie`() async throws {
    try await withDevice { server, client, credential in
      #expect(credential.issuer == "Example Bank" && credential.accountName == "bjensen")
      #expect(credential.userId == "bjensen" && credential.backgroundColor == "#032b75")
      #expect(credential.imageURL == nil)
      let device = try await server.device(credential.id)
      #expect(device["deviceType"]?.stringValue == "linux")
      #expect(device["communicationType"]?.stringValue == "poll")
      #expect(device["deviceName"]?.stringValue == "Test Device")
      let token = try await client.getDeviceToken()
      #expect(device["deviceId"]?.stringValue == token && token?.count == 64)
      let request = try #require(try await server.requests("register").first)
      #expect(request["cookie"]?.stringValue == "amlbcookie=01")
      #expect(request["version"]?.stringValue == "resource=1.0, protocol=1.0")
      #expect(request["type"]?.stringValue == "application/json")
      #expect(request["body"]?.objectValue?.names.sorted() == ["jwt", "messageId"])
      #expect(try await client.getCredentials().map(\.id) == [credential.id])
    }
  }

  @Test func `an address is of use once`() async throws {
    try await StandIn.with { server in
      let uri = try await server.enrol()
      let first = try await makeClient(MemoryPushStorage())
      try await first.addCredentialFromUri(uri)
      let second = try await makeClient(MemoryPushStorage())
      await #expect { try await second.addCredentialFromUri(uri) } throws: {
        isNetworkFailure($0, status: 400)
      }
      #expect(try await second.getCredentials().isEmpty)
    }
  }

  @Test func `a question is approved`() async throws {
    try await withDevice { server, client, credential in
      let pushed = try await server.push(to: credential.id)
      let notification = try #require(try await client.processNotification(userInfo: pushed.userInfo))
      #expect(notification.messageText == "Login attempt from bjensen at Example Bank")
      #expect(notification.pushType == .default && notification.pending && !notification.approved)
      #expect(try await client.getPendingNotifications().map(\.id) == [notification.id])
      #expect(try await client.approveNotification(notification.id))
      #expect(try await server.state(pushed)["state"]?.stringValue == "approved")
      #expect(try await server.requests("authenticate").first?["cookie"]?.stringValue == "amlbcookie=01")
      #expect(try await client.approveNotification(notification.id) == false)
      #expect(try await server.requests("authenticate").count == 1)
      let stored = try #require(try await client.getNotification(notification.id))
      #expect(stored.approved && !stored.pending && stored.respondedAt != nil && stored.responded)
      #expect(try await client.getPendingNotifications().isEmpty)
    }
  }

  @Test func `a question is denied, with or without a reason`() async throws {
    try await withDevice { server, client, credential in
      for reason in [nil, "It was not me"] {
        let pushed = try await server.push(to: credential.id, type: "biometric")
        let notification = try #require(try await client.processNotification(messageData: pushed.data))
        if let reason {
          #expect(try await client.denyNotification(notification.id, reason: reason))
        } else {
          #expect(try await client.denyNotification(notification.id))
        }
        let state = try await server.state(pushed)
        #expect(state["state"]?.stringValue == "denied" && state["reason"]?.stringValue == reason)
        let stored = try #require(try await client.getNotification(notification.id))
        #expect(!stored.approved && !stored.pending && stored.respondedAt != nil)
        #expect(
          try await client.approveBiometricNotification(notification.id, authenticationMethod: "face")
            == false)
      }
    }
  }

  @Test func `the number on the sign-in page is given`() async throws {
    try await withDevice { server, client, credential in
      let pushed = try await server.push(to: credential.id, type: "challenge")
      let notification = try #require(try await client.processNotification(messageData: pushed.data))
      #expect(notification.pushType == .challenge && notification.codeLength == nil)
      #expect(notification.getNumbersChallenge().count == 3)
      await #expect { try await client.approveNotification(notification.id) } throws: {
        isInvalidParameter($0)
      }
      await #expect {
        try await client.approveChallengeNotification(notification.id, challengeResponse: " ")
      } throws: { isInvalidParameter($0) }
      #expect(try await server.requests("authenticate").isEmpty)
      await #expect {
        try await client.approveChallengeNotification(notification.id, challengeResponse: "9")
      } throws: {
        if case PushError.pushNumberChallengeError = $0 { true } else { false }
      }
      #expect(try await client.getPendingNotifications().map(\.id) == [notification.id])
      let answer = try #require(pushed.answer)
      #expect(
        try await client.approveChallengeNotification(notification.id, challengeResponse: " \(answer)\n"))
      #expect(try await server.state(pushed)["given"]?.stringValue == answer)
    }
  }

  @Test func `the code on the sign-in page is typed, leading zeros too`() async throws {
    try await withDevice { server, client, credential in
      let pushed = try await server.push(to: credential.id, type: "challenge", code: "007421")
      let notification = try #require(try await client.processNotification(messageData: pushed.data))
      #expect(notification.pushType == .challenge && notification.codeLength == 6)
      #expect(notification.getNumbersChallenge().isEmpty && notification.numbersChallenge == nil)
      #expect(try await client.getNotification(notification.id)?.codeLength == 6)
      #expect(try await client.approveChallengeNotification(notification.id, challengeResponse: "007421"))
      #expect(try await server.state(pushed)["state"]?.stringValue == "approved")
    }
  }

  /// Servers before 8.1 answer 200 to a wrong number and let the sign-in fail.
  @Test func `a server that takes a wrong number has the answer`() async throws {
    try await withDevice { server, client, credential in
      let pushed = try await server.push(to: credential.id, type: "challenge", strict: false)
      let notification = try #require(try await client.processNotification(messageData: pushed.data))
      #expect(try await client.approveChallengeNotification(notification.id, challengeResponse: "9"))
      #expect(try await server.state(pushed)["state"]?.stringValue == "wrong")
    }
  }

  @Test func `a new device token reaches the server under username`() async throws {
    try await withDevice { server, client, credential in
      #expect(try await client.setDeviceToken("ABCDEF"))
      #expect(try await server.device(credential.id)["deviceId"]?.stringValue == "ABCDEF")
      let body = try #require(try await server.requests("refresh").first?["body"]?.objectValue)
      #expect(body.names.sorted() == ["jwt", "mechanismUid", "username"])
      #expect(try await client.setDeviceToken("ABCDEF"))
      #expect(try await server.requests("refresh").count == 1)
    }
  }

  @Test func `the user's name is learnt from a message`() async throws {
    try await StandIn.with { server in
      let client = try await makeClient(MemoryPushStorage())
      let credential = try await client.addCredentialFromUri(try await server.enrol(named: false))
      #expect(credential.userId == nil)
      #expect(try await client.setDeviceToken("first") == false)
      _ = try await client.processNotification(messageData: try await server.push(to: credential.id).data)
      #expect(try await client.getCredential(credential.id)?.userId == "bjensen")
      #expect(try await client.setDeviceToken("first"))
      #expect(try await server.device(credential.id)["deviceId"]?.stringValue == "first")
    }
  }

  @Test func `a device that a server without direct delivery is asked for fails as a network failure`()
    async throws
  {
    try await withDevice { _, client, _ in
      await #expect { try await client.fetchNotifications() } throws: { isNetworkFailure($0, status: 400) }
    }
  }
}

func isNetworkFailure(_ error: any Error, status: Int? = nil) -> Bool {
  guard case PushError.networkFailure(let text, _) = error else { return false }
  return status.map { text.contains("status code \($0)") } ?? true
}

func isInvalidParameter(_ error: any Error) -> Bool {
  if case PushError.invalidParameterValue = error { true } else { false }
}
