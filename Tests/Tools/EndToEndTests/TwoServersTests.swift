import DeviceKeys
import Foundation
import PingBinding
import PingStorage
import SealringTesting
import StrictJSON
import Testing

/// One device and two servers that have never heard of each other.
@Suite struct TwoServersTests {
  private static let password = "Correct horse battery 1"

  @Test func `binding at a server with the same user and realm leaves the key of the first`() async throws {
    let password = Self.password
    try await TestServer.run { bank in
      try await TestServer.run { other in
        let device = TestDevice()
        for server in [bank, other] {
          try await server.addUser("mira", password: password)
          let bound = await device.play("BindDeviceNoPin", on: server, as: "mira", password: password)
          #expect(bound.isSuccess)
        }
        let keys = try await device.userKeys.get() ?? []
        #expect(keys.count == 2 && Set(keys.map(\.userId)).count == 1, "the two name the user alike")
        #expect(Set(keys.map(\.server)) == [bank.address, other.address])
        for server in [bank, other] {
          #expect(await device.play("SignIn", on: server).isSuccess)
          let again = await device.play("BindDeviceNoPin", on: server, as: "mira", password: password)
          #expect(again.isSuccess)
          #expect(try await device.keyStore.keys().count == 2)
        }
      }
    }
  }

  @Test func `a server gets no signature by another one's key`() async throws {
    let password = Self.password
    try await TestServer.run { bank in
      try await bank.addUser("mira", password: password)
      let device = TestDevice()
      #expect(await device.play("BindDeviceNoPin", on: bank, as: "mira", password: password).isSuccess)
      try await TestServer.run { lookalike in
        try await lookalike.addUser("mira", password: password)
        let outcome = await device.play("SignIn", on: lookalike)
        #expect(!outcome.isSuccess)
        #expect(outcome.statuses.map(\.clientError) == ["ClientNotRegistered"])
      }
      #expect(await device.play("SignIn", on: bank).isSuccess)
    }
  }
}
