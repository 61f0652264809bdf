#if os(Linux)
  import CommonFixtures
  import Foundation
  import PingTamperDetector
  import Testing

  @testable import PingDeviceProfile

  private struct Scored: TamperDetectorProtocol {
    let score: Double
    func analyze() -> Double { score }
  }

  @Suite("Collectors on Linux")
  struct CollectorTests {
    private let folder = TemporaryFolder()

    /// The files of a machine.
    private func machine(_ files: [String: String]) throws -> SystemFiles {
      for (path, text) in files {
        let file = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      return SystemFiles(root: folder.url)
    }

    @Test func `the platform is the distribution's, the model the maker's`() async throws {
      let files = try machine([
        "etc/os-release": "PRETTY_NAME=\"Debian 12\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n",
        "sys/class/dmi/id/product_name": "ThinkPad\n", "proc/sys/kernel/hostname": "kiosk\u{1b}[2K-7\n",
      ])
      let info = try #require(
        await PlatformCollector(files: files, detector: TamperDetector(detectors: [Scored(score: 0)]))
          .collect())
      #expect(info.platform == "Linux" && info.version == "12" && info.brand == "Debian GNU/Linux")
      #expect(info.locale == Locale.current.language.languageCode?.identifier)
      #expect(info.model == "ThinkPad" && info.deviceName == "kiosk [2K-7" && info.jailBreakScore == 0)
    }

    @Test func `the platform's score is that of the signs of tampering`() async throws {
      let detector = TamperDetector(detectors: [Scored(score: 0.9)])
      #expect(
        await PlatformCollector(files: try machine([:]), detector: detector).collect()?.jailBreakScore == 0.9)
    }

    @Test func `what the machine does not say is unknown, and what it says at length is cut`() async throws {
      let files = try machine(["etc/os-release": "NAME=\(String(repeating: "x", count: 70_000))\n"])
      let info = try #require(await PlatformCollector(files: files).collect())
      #expect(info.version == "Unknown" && info.model == "Unknown" && info.deviceName == "Unknown")
      #expect(info.brand.count == 128)
      #expect(await HardwareCollector(files: files).collect()?.manufacturer == "Unknown")
    }

    @Test func `a board without a maker's table has its model from the device tree`() async throws {
      let files = try machine(["proc/device-tree/model": "Raspberry Pi 5\0"])
      #expect(await PlatformCollector(files: files).collect()?.model == "Raspberry Pi 5")
    }

    @Test func `hardware: the maker, and cameras by what is behind their entries`() async throws {
      let files = try machine([
        "sys/class/dmi/id/sys_vendor": "LENOVO\n", "sys/class/video4linux/video0/name": "Front\n",
        "sys/class/video4linux/video1/name": "Front\n", "sys/class/video4linux/video2/name": "Rear\n",
      ])
      let info = try #require(await HardwareCollector(files: files).collect())
      #expect(info.manufacturer == "LENOVO" && info.camera?.numberOfCameras == 2)
      #expect(info.cpu > 0 && info.memory ?? 0 > 0 && info.storage ?? 0 > 0)
    }

    private static let header = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"
    private static let zeros = String(repeating: "0", count: 32)

    @Test(
      arguments: [
        ([:], false), (["proc/net/route": header], false),
        (["proc/net/route": header + "eth0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\n"], false),
        (["proc/net/route": header + "eth0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\n"], true),
        (["proc/net/route": header + "eth0\t00000000\t0100A8C0\t0002\t0\t0\t0\t00000000\n"], false),
        (["proc/net/ipv6_route": "\(zeros) 00 \(zeros) 00 \(zeros) ffffffff 1 0 00200200 lo\n"], false),
        (["proc/net/ipv6_route": "\(zeros) 00 \(zeros) 00 \(zeros) 400 1 0 00000003 wlan0\n"], true),
      ] as [([String: String], Bool)])
    func `a network is one that leads somewhere`(files: [String: String], isConnected: Bool) async throws {
      #expect(await NetworkCollector(files: try machine(files)).collect()?.connected == isConnected)
    }

    @Test func `Bluetooth is there when the kernel knows an adapter`() async throws {
      #expect(await BluetoothCollector(files: try machine([:])).collect()?.supported == false)
      let files = try machine(["sys/class/bluetooth/hci0/address": "x"])
      #expect(await BluetoothCollector(files: files).collect()?.supported == true)
    }

    @Test func `there is no telephone and no web view, and nothing is made up`() async {
      #expect(await TelephonyCollector().collect()?.carrierName == nil)
      #expect(await BrowserCollector().collect()?.userAgent == nil)
    }
  }
#endif
