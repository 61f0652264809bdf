import FRDeviceBinding
import Foundation

func around(callback: Callback) {
  // block
}
