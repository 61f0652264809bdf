#if os(Linux) && DEBUG
  import Foundation
  import MessageBus
  import PersonFixtures
  import PingDeviceProfile
  import Testing

  @testable import GeoClueLocation

  /// A clock on which all time is over at once.
  private struct LateClock: Clock {
    struct Instant: InstantProtocol {
      var offset: Duration = .zero
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }
    var now: Instant { Instant() }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
  }

  @Suite("GeoClue")
  struct GeoClueTests {
    private func provider(
      _ service: LocationService, clock: any Clock<Duration> = ContinuousClock()
    ) -> GeoClueLocationProvider {
      var provider = GeoClueLocationProvider(
        desktopID: "sealring", accuracy: .exact, timeout: .seconds(60), busAddress: service.address)
      provider.clock = clock
      return provider
    }

    @Test func `the real service says where its receiver is, again and again`() async throws {
      try await LocationService.run { service in
        for _ in 0..<2 {
          let location = try await provider(service).location()
          #expect(abs(location.latitude - 48.1173) < 0.001 && abs(location.longitude - 11.5167) < 0.001)
        }
      }
    }

    @Test(
      arguments: [
        ("AccessDenied", "This app may not"), ("ServiceUnknown", "Location services are off"),
        ("NameHasNoOwner", "Location services are off"), ("NoReply", "NoReply: why"),
      ])
    func `what GeoClue refuses with is what apps know`(name: String, text: String) {
      let error = LocationError(BusError.refused(name: "org.freedesktop.DBus.Error.\(name)", message: "why"))
      #expect(error.localizedDescription.contains(text))
    }

    @Test func `nobody waits longer than the limit, or after having been cancelled`() async throws {
      try await LocationService.run(isServing: false) { service in
        await #expect {
          try await provider(service, clock: LateClock()).location()
        } throws: { error in
          guard case LocationError.locationFailed = error else { return false }
          return error.localizedDescription.contains("no location within")
        }
        let task = Task { try await provider(service).location() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
    }

    @Test func `without GeoClue, or without a bus, the location services are off`() async throws {
      try await LocationService.run(isRunning: false) { service in
        await #expect {
          try await provider(service).location()
        } throws: { error in
          guard case LocationError.locationServicesDisabled = error else { return false }
          return true
        }
      }
      let nowhere = GeoClueLocationProvider(desktopID: "sealring", busAddress: "unix:path=/nonexistent/bus")
      await #expect {
        try await nowhere.location()
      } throws: { error in
        guard case LocationError.locationFailed = error else { return false }
        return error.localizedDescription.contains("no system bus")
      }
    }
  }
#endif
