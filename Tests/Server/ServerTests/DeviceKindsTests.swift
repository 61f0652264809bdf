import Foundation
import HTTPTypes
import StrictJSON
import Testing

@testable import JourneyFiles
@testable import ServerHTTP

/// What holds for every kind of devices in the same way.
@Suite("Devices of all kinds") struct DeviceKindsTests {
  static let kinds = ["2fa/binding", "2fa/push", "2fa/oath", "2fa/webauthn", "profile"]
  static let kindsWithChoice = ["2fa/push", "2fa/oath"]

  private func path(_ kind: String, _ rest: String = "", of user: String = "ada") -> String {
    "\(LocalServer.alpha)/users/\(user)/devices/\(kind)\(rest)"
  }

  @Test(arguments: kinds)
  func `who may not read a list learns nothing of its filters, nor of the user`(kind: String) async throws {
    try await LocalServer.run { server in
      let bob = try await server.signIn("bob")
      for user in ["ada", "none"] {
        for query in ["?_queryFilter=true", "?_queryFilter=x"] {
          #expect(try await server.call(.get, path(kind, query, of: user)).status == 401)
          #expect(try await server.call(.get, path(kind, query, of: user), token: bob).status == 403)
        }
      }
    }
  }

  @Test(arguments: kinds)
  func `the list of a user who is not there is 404`(kind: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let list = path(kind, "?_queryFilter=true", of: "none")
      #expect(try await server.call(.get, list, token: admin).status == 404)
    }
  }

  @Test(arguments: kinds)
  func `a name that is not a name changes nothing, whether the device is there or not`(kind: String)
    async throws
  {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      for body in [[:], ["deviceName": " "], ["deviceName": 1], ["deviceName": "a\u{7}"]] as [JSONValue] {
        #expect(try await server.call(.put, path(kind, "/d1"), token: ada, body: body).status == 400)
      }
      let name: JSONValue = ["deviceName": "Mine"]
      #expect(try await server.call(.put, path(kind, "/d1"), token: ada, body: name).status == 404)
    }
  }

  @Test(arguments: kinds)
  func `only kinds that a user may do without have actions`(kind: String) async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      let answer = try await server.call(.post, path(kind, "?_action=check"), token: ada, body: [:])
      #expect(answer.status == (Self.kindsWithChoice.contains(kind) ? 200 : 405))
      #expect(answer.headers[.allow] == (Self.kindsWithChoice.contains(kind) ? nil : "GET"))
    }
  }

  @Test(arguments: kindsWithChoice)
  func `an unknown action is refused in the same words`(kind: String) async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      for query in ["", "?_action=none"] {
        let answer = try await server.call(.post, path(kind, query), token: ada, body: [:])
        #expect(answer.status == 400)
        #expect(answer["message"] == "The parameter _action must be reset, check or skip.")
      }
    }
  }

  @Test(arguments: kindsWithChoice)
  func `actions on a user who is not there are 404`(kind: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      for action in ["check", "skip", "reset", "none"] {
        let answer = try await server.call(
          .post, path(kind, "?_action=\(action)", of: "none"), token: admin, body: ["value": true])
        #expect(answer.status == 404, "\(action)")
      }
    }
  }

  @Test(arguments: kindsWithChoice)
  func `a reset ends the wish to do without, so that the next device is asked for`(kind: String) async throws
  {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      func act(_ action: String, _ body: JSONValue = [:]) async throws -> Answer {
        try await server.call(.post, path(kind, "?_action=\(action)"), token: ada, body: body)
      }
      #expect(try await act("skip", ["value": true]).status == 200)
      #expect(try await act("check")["result"] == true)
      #expect(try await act("reset")["result"] == true)
      #expect(try await act("check")["result"] == false)
    }
  }
}
