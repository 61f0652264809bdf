#if os(Linux)
  import Foundation
  import PersonFixtures
  import StrictJSON
  import Testing

  /// Requests that ask to prove who sits at the device: fprintd on a bus of its own, with a virtual reader.
  @Suite struct PushPersonTests {
    // Five seconds for each finger: fprintd, its reader and a bus are started.
    @Test(arguments: [(finger: "right-index-finger", status: Int32(0)), (finger: "left-thumb", status: 1)])
    func `a biometric request is approved by the enrolled finger only`(finger: String, status: Int32)
      async throws
    {
      try await FingerprintService.run { service async throws in
        try await PushScene.run { scene in
          try await scene.enrol()
          var device = scene.device
          device.environment["DBUS_SYSTEM_BUS_ADDRESS"] = service.address
          let signingIn = try scene.signIn("PushBiometric")
          let request = try await scene.nextRequest()
          #expect(request["type"] == "biometric")
          let id = try #require(request["id"]?.stringValue)
          let approving = try device.start(["push", "approve", id])
          _ = await approving.remark(/Approve: Login attempt/)
          try service.show(finger)
          let approved = await approving.finish()
          #expect(approved.status == status, "\(approved.errors)")
          if status == 0 {
            let end = await signingIn.finish()
            #expect(end.status == 0, "\(end.errors)")
          } else {
            #expect(approved.errors.contains("could not be recognised"), "\(approved.errors)")
            #expect(try await scene.pending().count == 1, "the request is still open")
            #expect(try await scene.device.run(["push", "deny", id]).status == 0)
            #expect(await signingIn.finish().status == 1)
          }
        }
      }
    }
  }
#endif
