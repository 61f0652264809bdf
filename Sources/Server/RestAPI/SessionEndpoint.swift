internal import BindingFormats
internal import Foundation
internal import JourneyStore
internal import ServerHTTP

/// An endpoint for clients with sessions. Its store and clock are those of the sessions.
protocol SessionEndpoint: Endpoint {
  var sessions: SessionAuthority { get }
}

extension SessionEndpoint {
  var store: any ServerStore { sessions.store }
  var clock: @Sendable () -> Date { sessions.clock }

  /// - Throws: 404 when there is no such account.
  @discardableResult
  func requireUser(_ account: UniversalID) async throws -> UserRecord {
    guard let user = try await store.user(account) else { throw ErrorResponse.noSuchUser }
    return user
  }
}
