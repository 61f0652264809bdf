// The example of "Coming from FRDeviceBinding" that names PingBinding's settings. `DocumentationTests` compares it with the
// article.
import DeviceKeys
import FRDeviceBinding
import PingBinding

// snippet: legacy-configure
func configureOnce(keyStore: any DeviceKeyStore) {
  FRDeviceBinding.configure { config in
    config.keyStore = keyStore
    config.deviceName = "Till 4"
  }
}
// end
